"""JoinGroup, SyncGroup, Heartbeat, LeaveGroup and what administrators see of groups."""
