export { Client, createClient } from "./client.js";
export type { ClientOptions, RunOptions } from "./client.js";
export type { GraphqlOptions, GraphqlResult } from "./graphql.js";
export { exactNumbers } from "./exact.js";
export type { ExactNumbers } from "./exact.js";
export { isError, ManybaseError, safe } from "./errors.js";
export type { ErrorCode, ErrorDetail, Safe } from "./errors.js";
export { newId } from "./id.js";
export { Collection, versionOf } from "./collection.js";
export type { ListOptions, SearchOptions, Version, WriteOptions } from "./collection.js";
export { Query } from "./query.js";
export type { Page, QueryOptions } from "./query.js";
export { live, LiveList } from "./live.js";
export type { LiveOptions, LiveState } from "./live.js";
export type {
  Change,
  ChangeType,
  Status,
  SubscribeOptions,
  Subscription,
  WebSocketConstructor,
  WebSocketLike,
} from "./realtime.js";
export type { Auth, AuthSession, Identity, SecondFactor, SignIn } from "./auth.js";
export type { AuthEvent, User } from "./session.js";
export type { Bucket, SignedLink, StoredFile } from "./files.js";
export type { Upload, UploadOptions, UploadProgress, UploadSource, UploadStatus } from "./upload.js";
export type { CallOptions, JsonCodec, ServerInfo, TransportOptions } from "./http.js";
export { memoryStorage } from "./storage.js";
export type { KeyValueStorage } from "./storage.js";
export type {
  BsonType,
  Chosen,
  CollectionName,
  DocumentOf,
  Exact,
  Expanded,
  ExpandName,
  Filter,
  MetadataOf,
  Method,
  NewDocumentOf,
  Operators,
  Path,
  ReferencesOf,
  RoutePath,
  SchemaShape,
  ServerFields,
  Sort,
  SortKeys,
  Untyped,
  Update,
  UpdateOperators,
  ValueAt,
} from "./schema.js";
export { version } from "./version.js";
