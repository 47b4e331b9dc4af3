#!/bin/sh
# Posts each event that it is told, as the JSON object that it is, to an address.
#
#     notify_webhook.sh https://chat.example/hooks/lab
#
# Needs curl. A post that fails is said on standard error, which is the daemon's log.
while IFS= read -r event; do
    printf '%s' "$event" |
        curl --silent --show-error --fail --max-time 10 --header 'Content-Type: application/json' --data-binary @- --output /dev/null "$1"
done
