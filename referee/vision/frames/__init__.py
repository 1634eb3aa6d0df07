"""Where pictures come from: cameras, streams, clips, folders."""
