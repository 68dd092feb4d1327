"""What every part stands on: checks of options, random streams, threads, sums and ties."""
