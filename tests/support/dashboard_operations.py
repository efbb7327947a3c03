"""The operations of the admin and the control plane, and the journeys at the dashboard that reach them."""

import re
from functools import cache

from support.server import ROOT

# The journeys of a module reach these, at least; each operation stands once.
JOURNEYS = {
    "test_dashboard_access": (
        "activateUser blockUser createApiKey createEndUserRole createRole createUser deactivateUser "
        "deleteEndUserRole deleteRole getEndUserRole getOauth getRole getUser listApiKeys listEndUserRoles "
        "listRoles queryUsers replaceEndUserRole replaceRole resetSecondFactor revokeApiKey rotateApiKey "
        "setOauthProvider setOauthRedirects updateUser"
    ),
    "test_dashboard_account": (
        "platformActivateTotp platformChangePassword platformDisableTotp platformEnrollTotp platformListSessions "
        "platformRequestVerification platformRevokeOtherSessions platformRevokeSession"
    ),
    "test_dashboard_api": "getTypes",
    "test_dashboard_billing": (
        "acceptTransfer addOperator clearLimits discardDeadJob getBilling getCostModel getCosts getCostsCsv "
        "listDeadJobs listInstanceAudit listOperators listPlans listPlatformUsers offerTransfer openBillingPortal "
        "retryDeadJob revokeOperator setCostModel setLimits setPlan startCheckout updateMe updatePlan "
        "withdrawTransfer"
    ),
    "test_dashboard_connections": (
        "createConnection createProjectConnection deleteConnection listConnectionKinds listConnections "
        "listProjectConnections updateConnection"
    ),
    "test_dashboard_documents": (
        "adminCreateDocument adminDeleteDocument adminGetDocument adminQueryDocuments adminUpdateDocument "
        "createCollection deleteCollection listCollectionStats renameCollection"
    ),
    "test_dashboard_environments": "createEnvironment exportConfiguration importConfiguration promote",
    "test_dashboard_files": "createBucket deleteBucket listBuckets updateBucket",
    "test_dashboard_first_run": "platformRegister",
    "test_dashboard_functions": (
        "createFunction deleteFunction functionStats getFunction getFunctionVersion invokeFunction "
        "listFunctionVersions listFunctions listRuns retryRun rollbackFunction runFunctionTests updateFunction"
    ),
    "test_dashboard_home": "adminListDocuments getMetrics listCollections",
    "test_dashboard_indexes": "createIndex deleteIndex listIndexes",
    "test_dashboard_integrations": (
        "createIntegration deleteIntegration getIntegration listIntegrations listProviders runIntegrationTests "
        "setIntegrationTests tryIntegration updateIntegration"
    ),
    "test_dashboard_invite": "acceptInvite",
    "test_dashboard_own_database": (
        "backfillIntrospected checkProjectDatabase importIntrospected introspectCollection listIntrospected"
    ),
    "test_dashboard_policies": (
        "deletePolicySet getPolicy getPolicyTests listPolicySets removePolicy runPolicyTests setPolicy "
        "setPolicySet setPolicyTests testPolicy"
    ),
    "test_dashboard_projects": "createProject createProjectToken listProjects",
    "test_dashboard_records": "getMetricSeries getUsage listAudit listJobs",
    "test_dashboard_schema": "checkSchema getSchema removeSchema setSchema",
    "test_dashboard_session": (
        "me platformListIdentities platformLogin platformRefresh platformRequestPasswordReset "
        "platformVerifySecondFactor setupStatus"
    ),
    "test_dashboard_settings": (
        "addMember cancelInvite deleteProject listMembers removeMember resumeProject suspendProject updateMember "
        "updateProject"
    ),
    "test_dashboard_variables": "deleteVariable listVariables setVariable",
    "test_dashboard_vectors": "getVectorConfig removeVectorConfig setVectorConfig",
    "test_dashboard_webhooks": (
        "createWebhook deleteWebhook getWebhook listDeliveries listWebhooks redeliver rotateWebhookSecret "
        "testWebhook updateWebhook"
    ),
}

_GENERATED = ROOT / "sdk" / "typescript" / "src" / "generated"
_VERBS = {"G": "GET", "P": "POST", "U": "PUT", "A": "PATCH", "D": "DELETE"}


@cache
def operations() -> dict[str, tuple[str, re.Pattern, str]]:
    """Returns method, path and type of the result ("" for JSON) of each operation by its id, as the SDK has them. Those with
    fewer parameters come first, and those with a type before others of the path."""
    lines = []
    for plane in ("admin", "control"):
        table = re.search(r"export const table = `\n(.*?)`", (_GENERATED / f"{plane}.ts").read_text(), re.DOTALL)
        lines += [(f"/api/v1/{plane}", *f"{line} ".split(" ", 3)) for line in table[1].splitlines() if line]
    lines.sort(key=lambda line: (line[3].count("*"), not line[4]))
    return {
        id: (_VERBS[verb[0]], re.compile(re.escape(base + path).replace(r"\*", "[^/]+")), type.strip())
        for base, id, verb, path, type in lines
    }


def operation_of(method: str, path: str, type: str) -> str | None:
    """Returns the id of the operation whose response has this type; None for a request of another plane."""
    return next(
        (
            id
            for id, (verb, form, wanted) in operations().items()
            if verb == method and form.fullmatch(path) and type.startswith(wanted)
        ),
        None,
    )


def without_a_journey() -> list[str]:
    """Returns the ids of docs/dashboard.md with the reason why no journey reaches them."""
    page = (ROOT / "docs" / "dashboard.md").read_text()
    section = page.split("## Operations that no journey reaches\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [id for row in rows for id in re.findall(r"`(\w+)`", row)]
