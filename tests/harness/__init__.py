"""What the integration tests share: servers, the content oracle, the program under test, workloads."""
