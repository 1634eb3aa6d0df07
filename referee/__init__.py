"""A referee for games on a real table."""

import os

# OpenCV reads these once, when it is loaded, so they are set before anything here can load it.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "120000000")
os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", "rtsp_transport;tcp")
os.environ.setdefault("OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS", "0")
