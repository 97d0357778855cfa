"""Hooks of the contract run of the console. The tool learns ids from responses; some of them must not be used."""

import os
import re

import schemathesis

NO_KEY = "opk_00000000000000000000"
NO_ENDPOINT = "whk_00000000000000000000"
ENDPOINT = re.compile(r"whk_[a-z0-9]{20}")


def seeded_endpoints():
    with open("endpoints") as file:
        return file.read()


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters or {}
    # Without its own key, the run would get only 401.
    if parameters.get("operatorKeyId") == os.environ["AURIS_CONTRACT_OPERATOR_KEY_ID"]:
        parameters["operatorKeyId"] = NO_KEY
    # Test messages are sent at once, so they must not go to the invented URL of an endpoint that this run created.
    endpoint = str(parameters.get("endpointId", ""))
    if case.operation.label.endswith("/test") and ENDPOINT.fullmatch(endpoint) and endpoint not in seeded_endpoints():
        parameters["endpointId"] = NO_ENDPOINT
