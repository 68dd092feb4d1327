"""Files: replaced as a whole, read with distrust, one run at a time on a checkpoint."""
