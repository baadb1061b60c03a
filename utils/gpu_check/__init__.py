"""What utils/gpu-check prepares and what runs on the machine with the GPU."""
