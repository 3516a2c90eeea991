"""Methods of detection that are judged side by side, one file a family."""
