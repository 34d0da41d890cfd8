"""Many matches: schedule, Ray, results, ratings, statistics, the command line."""
