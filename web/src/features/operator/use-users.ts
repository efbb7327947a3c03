import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { platformUsers } from "./queries";

/** The users that are loaded. The server does not search them: while `all` holds, further pages are loaded until the end. */
export function useUsers(all: boolean) {
  const query = useInfiniteQuery(platformUsers);
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (all && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [all, hasNextPage, isFetching, isError, fetchNextPage]);
  return { query, users: query.data?.pages.flat() ?? [] };
}
