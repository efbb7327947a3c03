// As `manybase types` prints it.
export interface People {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly ownerId?: string;
  name: string;
}
export interface NewPeople {
  id?: string;
  name: string;
}
export interface Books {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly ownerId?: string;
  title: string;
  stars?: number;
  state: "draft" | "public";
  author?: string;
  readers?: string[];
  keeper?: string;
  tags?: string[];
  place?: { city: string; zip?: number };
  parts?: { by?: string; pages: number }[];
  more?: { [field: string]: unknown };
}
export interface NewBooks {
  id?: string;
  title: string;
  stars?: number;
  state?: "draft" | "public";
  author?: string;
  readers?: string[];
  keeper?: string;
  tags?: string[];
  place?: { city: string; zip?: number };
  parts?: { by?: string; pages: number }[];
  more?: { [field: string]: unknown };
}
export interface Log {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly ownerId?: string;
  [field: string]: unknown;
}
export interface NewLog {
  id?: string;
  [field: string]: unknown;
}
export interface UserProfile {
  readonly id: string;
  name: string | null;
}
export interface Collections {
  books: Books;
  log: Log;
  people: People;
}
export interface NewDocuments {
  books: NewBooks;
  log: NewLog;
  people: NewPeople;
}
export interface References {
  books: {
    author: "people";
    keeper: "users";
    "parts.by": "people";
    readers: "people";
  };
  log: {};
  people: {};
}
export interface Schema {
  read: Collections;
  create: NewDocuments;
  references: References;
  users: UserProfile;
  routes: "GET /orders/:id" | "POST /checkout";
}
