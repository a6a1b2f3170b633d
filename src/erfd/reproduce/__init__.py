"""The documents item by item: each table, figure, algorithm and claim, printed beside computed."""
