// The types need no DOM library: compiled as a program for Node.js.
import { createClient, live } from "manybase";
import { createAdmin } from "manybase/admin";
import { createControl } from "manybase/control";

const client = createClient({ url: "https://api.example.com", project: "bookshop", apiKey: "" });
export const list = live(client.collection("books").query({ limit: 3 }));
export const planes = [createAdmin({ url: "", token: "" }), createControl({ url: "" })];
