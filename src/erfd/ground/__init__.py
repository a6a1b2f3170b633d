"""What every room uses: arrays, files, folders of the user, optional packages, addresses."""
