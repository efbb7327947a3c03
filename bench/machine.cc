// Measures the disk: RocksDB batches of N 300-byte values, each batch written with a sync, like the engine's commits.
// Prints one JSON object. Usage: machine DIRECTORY
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory = std::filesystem::path(argv[1]) / "machine-db";
  std::filesystem::remove_all(directory);
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* raw = nullptr;
  if (const auto status = rocksdb::DB::Open(options, directory.string(), &raw); !status.ok()) {
    fmt::print(stderr, "{}\n", status.ToString());
    return 1;
  }
  const std::unique_ptr<rocksdb::DB> db(raw);
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const std::string value(300, 'x');
  std::string figures;
  for (const int perBatch : {1, 16, 64}) {
    const int batches = 2000 / (perBatch > 1 ? 4 : 1);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < batches; ++i) {
      rocksdb::WriteBatch batch;
      for (int k = 0; k < perBatch; ++k) batch.Put(fmt::format("{:08}-{:04}", i, k), value);
      if (!db->Write(synced, &batch).ok()) return 1;
    }
    const double micros =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / batches;
    figures += fmt::format(R"({}"{}":{:.1f})", figures.empty() ? "" : ",", perBatch, micros);
  }
  fmt::print("{{\"syncedBatchUs\":{{{}}}}}\n", figures);
  std::filesystem::remove_all(directory);
}
