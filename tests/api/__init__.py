"""What people import, and the gate within somebody's own pytest run."""
