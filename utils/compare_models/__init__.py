"""What utils/compare-models runs: models, their graphs for peers, the peers."""
