// The types of a project's documents: what `manybase types` prints, and what follows from it for filters, updates, sorts,
// chosen fields and references. Nothing of this file exists at run time.

/** What every document has. */
export interface ServerFields {
  /** The document's id. */
  readonly id: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** The user who created it; absent for an API key. */
  readonly ownerId?: string;
}

/** The form of the interface `Schema` of `manybase types`. */
export interface SchemaShape {
  /** Documents by the names of collections, as they are read. */
  read: object;
  /** What creates a document, by the names of collections. */
  create: object;
  /** References by the names of collections. */
  references: object;
  /** What a reference to an end user expands to; without it references to users stay ids. */
  users?: object;
  /** The http routes of functions: "POST /checkout". */
  routes?: string;
  /** Your own: the metadata of end users. */
  metadata?: object;
}

/** The schema of a client without types: any collection, any field. */
export interface Untyped {
  /** Any field of any document. */
  read: Record<string, ServerFields & Record<string, any>>;
  /** Any field. */
  create: Record<string, Record<string, any>>;
  /** Any reference. */
  references: Record<string, Record<string, string>>;
}

/** The names of the collections of a schema. */
export type CollectionName<S extends SchemaShape> = keyof S["read"] & string;
/** The documents of a collection as they are read. */
export type DocumentOf<S extends SchemaShape, N> = N extends keyof S["read"] ? S["read"][N] : never;
/** What creates a document of a collection. */
export type NewDocumentOf<S extends SchemaShape, N> = N extends keyof S["create"] ? S["create"][N] : never;
/** The references of a collection by their paths, with the collections that they lead to. */
export type ReferencesOf<S extends SchemaShape, N> = N extends keyof S["references"] ? S["references"][N] : {};
/** The type of users' metadata. */
export type MetadataOf<S extends SchemaShape> = S extends { metadata: infer M } ? M : Record<string, unknown>;

type ExactValue<V> = 0 extends 1 & V
  ? V
  : V extends number
    ? number extends V
      ? V | bigint
      : V
    : V extends object
      ? { [K in keyof V]: ExactValue<V[K]> }
      : V;
/** A schema whose numbers may be `bigint`, as `exactNumbers()` reads them. */
export type Exact<S extends SchemaShape> = Extract<
  { [K in keyof S]: K extends "references" | "routes" ? S[K] : ExactValue<S[K]> },
  SchemaShape
>;

// ---- paths

type Scalar = string | number | boolean | bigint | null | undefined;
type Plain<V> = NonNullable<V>;
type Depth = [never, 0, 1, 2, 3];
type ElementOf<V> = Plain<V> extends readonly (infer E)[] ? E : V;
type Join<K extends string, V, D extends number> =
  Plain<ElementOf<V>> extends Scalar ? K : K | `${K}.${PathsBelow<Plain<ElementOf<V>>, Depth[D]>}`;
type PathsBelow<T, D extends number> = [D] extends [never]
  ? string
  : unknown extends T
    ? string
    : string extends keyof T
      ? string
      : { [K in keyof T & string]-?: Join<K, T[K], D> }[keyof T & string];

/** The paths of a document, dotted for nested fields, also through arrays. */
export type Path<D> = PathsBelow<D, 3>;

/** The type of the value at a path; through an array that of its elements. */
export type ValueAt<D, P extends string> = P extends keyof D
  ? D[P]
  : P extends `${infer Head}.${infer Rest}`
    ? Head extends keyof D
      ? ValueAt<Plain<ElementOf<D[Head]>>, Rest>
      : any
    : any;

// ---- filters

// Times are RFC 3339 text; a Date becomes that in JSON. Text of a few given values takes only these.
type Comparable<V> = Plain<V> extends string ? (string extends Plain<V> ? V | Date : V) : V;
type Value<V> = Comparable<ElementOf<V>> | Comparable<V> | null;
/** Names of types for `$type`. */
export type BsonType =
  | "double"
  | "string"
  | "object"
  | "array"
  | "binData"
  | "objectId"
  | "bool"
  | "date"
  | "null"
  | "int"
  | "long"
  | "decimal"
  | "number";

type TextOperators = { $regex?: string; $options?: string };
/** A number, and a `bigint` where the values may be one. */
type Amount<V> = [Extract<V, bigint>] extends [never] ? number : number | bigint;
type NumberOperators<V> = { $mod?: readonly [divisor: Amount<V>, remainder: Amount<V>] };
type ArrayOperators<E> = {
  $all?: readonly Value<E>[];
  $size?: number;
  $elemMatch?: E extends Scalar ? Operators<E> : Filter<E>;
};

/** The operators of a condition on a value. */
export type Operators<V> = {
  $eq?: Value<V>;
  $ne?: Value<V>;
  $gt?: Value<V>;
  $gte?: Value<V>;
  $lt?: Value<V>;
  $lte?: Value<V>;
  $in?: readonly Value<V>[];
  $nin?: readonly Value<V>[];
  $exists?: boolean;
  $type?: BsonType | number | readonly (BsonType | number)[];
  $not?: Operators<V>;
} & (string extends Plain<ElementOf<V>> ? TextOperators : {}) &
  (number extends Plain<ElementOf<V>> ? NumberOperators<Plain<ElementOf<V>>> : {}) &
  (Plain<V> extends readonly (infer E)[] ? ArrayOperators<E> : {});

// `any` takes everything: a distributive conditional type over it would not.
type Condition<V> = 0 extends 1 & V ? any : unknown extends V ? unknown : Value<V> | Operators<V>;

/** A filter in MongoDB's language. */
export type Filter<D> = { [P in Path<D>]?: Condition<ValueAt<D, P>> } & {
  $and?: readonly Filter<D>[];
  $or?: readonly Filter<D>[];
  $nor?: readonly Filter<D>[];
};

// ---- updates

type ServerSet = "id" | "createdAt" | "updatedAt" | "ownerId";
type Writable<D> = Exclude<Path<D>, ServerSet>;
type PathsOf<D, V> = { [P in Writable<D>]: Plain<ValueAt<D, P>> extends V ? P : never }[Writable<D>];
type ArrayPaths<D> = PathsOf<D, readonly any[]>;
type Elements<D> = { [P in ArrayPaths<D>]?: ElementOf<ValueAt<D, P>> };
type Many<E> = { $each: readonly E[] };
type PushOptions<E> = Many<E> & { $slice?: number; $position?: number; $sort?: 1 | -1 | Record<string, 1 | -1> };
type Fields<D> = { [P in Writable<D>]?: ValueAt<D, P> };

type Bits<A> = { and?: A; or?: A; xor?: A };

/** Update operators of MongoDB's language. */
export interface UpdateOperators<D> {
  /** Sets fields. */
  $set?: Fields<D>;
  /** Accepted; it changes nothing, since an update makes no document. */
  $setOnInsert?: Fields<D>;
  /** Removes fields. */
  $unset?: { [P in Writable<D>]?: true | 1 | "" };
  /** Adds to numbers; a missing field counts as 0. */
  $inc?: { [P in PathsOf<D, number | bigint>]?: Amount<ValueAt<D, P>> };
  /** Multiplies numbers; a missing field becomes 0. */
  $mul?: { [P in PathsOf<D, number | bigint>]?: Amount<ValueAt<D, P>> };
  /** Sets fields whose value is larger. */
  $min?: Fields<D>;
  /** Sets fields whose value is smaller. */
  $max?: Fields<D>;
  /** Gives fields other names. */
  $rename?: { [P in Writable<D>]?: string };
  /** Sets fields to the server's time. */
  $currentDate?: { [P in Writable<D>]?: true | { $type: "date" } };
  /** Appends to arrays. */
  $push?: { [P in ArrayPaths<D>]?: ElementOf<ValueAt<D, P>> | PushOptions<ElementOf<ValueAt<D, P>>> };
  /** Appends what the array does not have. */
  $addToSet?: { [P in ArrayPaths<D>]?: ElementOf<ValueAt<D, P>> | Many<ElementOf<ValueAt<D, P>>> };
  /** Removes the matching elements. */
  $pull?: { [P in ArrayPaths<D>]?: Condition<ElementOf<ValueAt<D, P>>> };
  /** Removes the elements given. */
  $pullAll?: { [P in ArrayPaths<D>]?: readonly ElementOf<ValueAt<D, P>>[] };
  /** Removes the last element (1), or the first (-1). */
  $pop?: { [P in keyof Elements<D>]?: 1 | -1 };
  /** Changes the bits of integers. */
  $bit?: { [P in PathsOf<D, number | bigint>]?: Bits<Amount<ValueAt<D, P>>> };
}

/** The fields to set, or update operators; not both. */
export type Update<D> = (Fields<D> & { [K in keyof UpdateOperators<D>]?: never }) | UpdateOperators<D>;

// ---- sort, chosen fields, references

/** Paths with 1 (ascending) or -1. */
export type SortKeys<D> = { [P in Path<D>]?: 1 | -1 };
/** Keys in their order: `{ stars: -1, title: 1 }`, or a list of such objects. */
export type Sort<D> = SortKeys<D> | readonly SortKeys<D>[];

type Head<P> = P extends `${infer H}.${string}` ? H : P;
/** A document of which fields were chosen. A nested path has the type of its top field. */
export type Chosen<D, F> = string extends F ? D : Pick<D, Extract<Head<F> | "id", keyof D>>;

type TargetOf<S extends SchemaShape, T> = T extends keyof S["read"]
  ? S["read"][T]
  : T extends "users"
    ? S extends { users: infer U }
      ? U
      : never
    : never;
type Reference<S extends SchemaShape, V, T> = V extends readonly any[]
  ? (TargetOf<S, T> | string)[]
  : V extends string
    ? TargetOf<S, T> | string
    : V;

/** The references of a collection that can be expanded. */
export type ExpandName<S extends SchemaShape, N> = keyof ReferencesOf<S, N> & string;
/** A document with expanded references: each is the document, or stays an id where the caller may not read it. */
export type Expanded<S extends SchemaShape, N, D, E> = string extends E
  ? D
  : [E] extends [never]
    ? D
    : {
        [K in keyof D]: K extends E
          ? K extends keyof ReferencesOf<S, N>
            ? Reference<S, D[K], ReferencesOf<S, N>[K]>
            : D[K]
          : D[K];
      };

// ---- routes of functions

type Pattern<P extends string> = P extends `${infer Start}/:${string}/${infer Rest}`
  ? `${Start}/${string}/${Pattern<Rest>}`
  : P extends `${infer Start}/:${string}`
    ? `${Start}/${string}`
    : P;
/** Methods of HTTP for functions. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** The paths that functions serve with a method; any path where the schema has no routes. */
export type RoutePath<S extends SchemaShape, M extends string> = S extends { routes: infer R }
  ? R extends `${M} ${infer P}`
    ? Pattern<P>
    : never
  : string;
