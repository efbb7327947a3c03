#include "cli/own_database.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::cli {
namespace {

TEST(OwnDatabase, ACheckIsALineForEachCapabilityAndWarning) {
  CheckedDatabase checked{{true, false, true}, {{"plain-connection", "the connection is not encrypted"}}, true};
  EXPECT_EQ(textOf(checked),
            "reached         yes\n"
            "change streams  works\n"
            "pre-images      does not work\n"
            "transactions    works\n"
            "warning: the connection is not encrypted\n");
}

TEST(OwnDatabase, TheListSaysWhatEachCollectionIs) {
  const std::vector<ListedSource> sources = {{"orders", {2}, {2048}, {"purchases"}, true, std::nullopt},
                                             {"fresh", {}, {}, {}, true, std::nullopt},
                                             {"recent", {}, {}, {}, false, "view"}};
  EXPECT_EQ(textOf(sources),
            "COLLECTION  DOCUMENTS  SIZE     IN THE PROJECT\n"
            "orders      2          2.0 KiB  imported as purchases\n"
            "fresh       -          -        can be imported\n"
            "recent      -          -        cannot be imported: view\n");
}

TEST(OwnDatabase, AReportHasVerdictProblemsAndFields) {
  SourceReport report;
  report.collection = "orders";
  report.stats = {60, 3 << 10};
  report.sampled = 50;
  report.ids = {.withId = 10, .withoutId = 50, .estimated = true};
  report.verdict = "needs-backfill";
  report.problems = {{"some-without-id", "info", "50 documents have no id", "/id"}};
  report.fields = {{"total", *doc::parseJson(R"({"int":0.6,"double":0.4})"), 1},
                   {"note", *doc::parseJson(R"({"string":1})"), 0.5}};
  EXPECT_EQ(textOf(report),
            "collection  orders\n"
            "documents   60, 3.0 KiB\n"
            "sampled     50\n"
            "ids         about 10 with, about 50 without\n"
            "verdict     ready; ids that clients choose need a backfill after the import\n"
            "info: 50 documents have no id (at /id)\n"
            "\n"
            "FIELD  TYPES                IN\n"
            "total  int 60%, double 40%  all\n"
            "note   string               50%\n");
}

TEST(OwnDatabase, NamesOfTheDatabaseCannotSpeakToATerminal) {
  const std::vector<ListedSource> sources = {{"a\x1b[2J\xC2\x9B\x7F\xC3\xA9", {}, {}, {}, true, std::nullopt}};
  EXPECT_TRUE(textOf(sources).contains("\na?[2J??\xC3\xA9  "));
}

}  // namespace
}  // namespace mb::cli
