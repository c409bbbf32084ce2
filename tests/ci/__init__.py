"""Results as build services read them, and the files that a build takes: action, image, jobs."""
