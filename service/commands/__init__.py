"""What an operator does about clubs and keys: the commands `ofc-server club` and `ofc-server key`."""
