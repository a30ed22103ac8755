#!/bin/bash
# The compose files are what compose can read; image.sh runs the image as they do.
. ./lib.sh
for file in /deploy/docker/compose*.yaml; do
    docker-compose --file "$file" config --quiet
done
