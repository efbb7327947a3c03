#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr std::string_view kNotNegative = R"({"minimum": 0})";
constexpr std::string_view kSources = R"({"enum": ["free", "subscription", "grant"]})";
constexpr std::string_view kSlugs = R"({"enum": ["free", "pro", "scale"]})";
constexpr std::string_view kCurrency = R"({"pattern": "^[A-Z]{3}$"})";

constexpr FieldDoc kBillingFieldDocs[] = {
    {"Billing.plan", "The plan in force for the user.", "{}"},
    {"Billing.plans", "The plans of the deployment, in ascending price.", "[]"},
    {"Billing.projects", "The projects that the user pays for, environments included.", "[]"},
    {"Billing.source", "Why that plan is in force.", R"("subscription")", kSources},
    {"Billing.subscription", "The subscription at the payment provider; null without one.", "null"},
    {"CostUnits.millionFunctionRuns", "Function runs: how many millions, or what a million costs.", "0.25",
     kNotNegative},
    {"CostUnits.millionVectorsMonth",
     "Stored vectors, in millions over months (the mean of daily readings), or what a million costs in a month.",
     "0.05", kNotNegative},
    {"CostUnits.storageGiBMonth",
     "Stored files, in GiB over months (the mean of daily readings), or what a GiB costs in a month.", "1.5",
     kNotNegative},
    {"CostUnits.thousandConnectionHours",
     "Hours of realtime connections: how many thousands, or what a thousand costs.", "0.72", kNotNegative},
    {"PaidProject.id", "The project's id.", R"("proj_06fVx3jmA1qK9bTzLw2C")"},
    {"PaidProject.name", "The project's name.", R"("Notes")"},
    {"PaymentPage.url", "The page of the payment provider, to open in a browser.",
     R"("https://checkout.stripe.com/c/pay/cs_test_a1")"},
    {"Plan.name", "The plan's name.", R"("Pro")"},
    {"Plan.slug", "The name by which routes take the plan.", R"("pro")", kSlugs},
    {"PlanBody.plan", "The plan, by its slug.", R"("pro")"},
    {"PlanPatch.name", "The plan's name.", R"("Pro")", R"({"minLength": 1, "maxLength": 100})"},
    {"PlanSubscription.plan", "The plan that it pays for, by its slug.", R"("pro")"},
    {"PlanSubscription.status", "Its status at the provider; `active` and `trialing` count.", R"("active")"},
    {"PlanSummary.name", "The plan's name.", R"("Pro")"},
    {"PlanSummary.slug", "The name by which routes take the plan.", R"("pro")", kSlugs},

    {"applied", "Whether the event changed a plan; false for those that are ignored or were applied before.", "true"},
    {"cancelAtPeriodEnd", "Whether it ends with the period that is paid.", "false"},
    {"currency", "The currency of all costs (ISO 4217).", R"("USD")", kCurrency},
    {"currentPeriodEnd", "The end of the period that is paid.", R"("2026-02-28T09:30:00.000Z")"},
    {"environments", "Environments of the root project.", "1"},
    {"environmentsPerProject", "Environments of a root project; null is unlimited.", "5", kNotNegative},
    {"functionRuns", "Runs of functions in this calendar month (UTC).", "1200"},
    {"functionRunsPerMonth", "Runs of functions in a calendar month (UTC); null is unlimited.", "5000000",
     kNotNegative},
    {"grandfather", "Whether a change of the limits leaves out those who hold the plan then.", "false"},
    {"limits", "The limits of use; null is unlimited.", "{}"},
    {"margin", "A fraction of the costs that is added to them for the price.", "0.2", kNotNegative},
    {"maxProjects", "Root projects of a user; null is unlimited.", "20", kNotNegative},
    {"priceUsdMonthly", "The price of a month, in US dollars.", "25", kNotNegative},
    {"projects", "Root projects of the user.", "3"},
    {"realtimeConnections", "Realtime connections at a time, of one process; null is unlimited.", "120", kNotNegative},
    {"received", "Always true.", "true"},
    {"storageBytes", "Bytes of stored files, uploads in progress included; null is unlimited.", "1048576",
     kNotNegative},
    {"unitCosts", "What a unit of each metered quantity costs the deployment.", "{}"},
    {"usage", "What the project uses now.", "{}"},
    {"vectors", "Vectors; null is unlimited.", "20000", kNotNegative},
};

}  // namespace

std::span<const FieldDoc> billingFieldDocs() {
  return kBillingFieldDocs;
}

}  // namespace mb::openapi
