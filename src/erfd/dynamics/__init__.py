"""The equations of motion, one formulation a file, written once over any scalar."""
