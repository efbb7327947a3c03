// What the screens of files read.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { filesOf } from "../../app/client";
import { adminOf, queryClient } from "../../app/queries";

export const bucketsOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "buckets"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listBuckets({ signal })).buckets,
  });

const pageSize = 1_000;

/** The files below a folder with those of its folders, page by page. */
export const listingOf = (projectId: string, bucket: string, folder: string) =>
  infiniteQueryOptions({
    queryKey: [projectId, "files", bucket, folder],
    queryFn: ({ pageParam, signal }) =>
      filesOf(projectId, bucket).list({ prefix: folder ? `${folder}/` : "", limit: pageSize, skip: pageParam, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.files.length < pageSize ? undefined : all.length * pageSize),
  });

export const fileOf = (projectId: string, bucket: string, path: string) =>
  queryOptions({
    queryKey: [projectId, "files", bucket, "", path],
    queryFn: ({ signal }) => filesOf(projectId, bucket).find(path, { signal }),
  });

export const filesChanged = (projectId: string, bucket: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: [projectId, "files", bucket] });
