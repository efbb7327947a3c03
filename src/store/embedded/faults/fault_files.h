// The files and directories of a FaultFileSystem: each calls it before and after an operation.
#pragma once

#include "store/embedded/faults/fault_file_system.h"

namespace mb::store::embedded {

std::unique_ptr<rocksdb::FSSequentialFile> faultySequentialFile(FaultFileSystem& system, std::string path,
                                                                std::unique_ptr<rocksdb::FSSequentialFile> real);
std::unique_ptr<rocksdb::FSRandomAccessFile> faultyRandomAccessFile(FaultFileSystem& system, std::string path,
                                                                    std::unique_ptr<rocksdb::FSRandomAccessFile> real);
std::unique_ptr<rocksdb::FSWritableFile> faultyWritableFile(FaultFileSystem& system,
                                                            std::shared_ptr<FaultFileSystem::FileState> state,
                                                            std::unique_ptr<rocksdb::FSWritableFile> real);
std::unique_ptr<rocksdb::FSDirectory> faultyDirectory(FaultFileSystem& system, std::string path,
                                                      std::unique_ptr<rocksdb::FSDirectory> real);

}  // namespace mb::store::embedded
