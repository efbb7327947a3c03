import { adminSetup, type Call } from "../../components/shell/show-call";
import { collectionMessages } from "../../messages/data";

const words = collectionMessages.calls;

/** The calls of the list of collections; with that which deletes documents in an own database, too. */
export const callsOf = (drops: boolean): Call[] => [
  {
    title: words.list,
    method: "GET",
    path: "/admin/collection-stats",
    sdk: `${adminSetup()}\nconst { collections } = await admin.listCollectionStats();`,
  },
  {
    title: words.create,
    method: "POST",
    path: "/admin/collections",
    body: { name: "books" },
    sdk: 'await admin.createCollection({ name: "books" });',
  },
  {
    title: words.rename,
    method: "POST",
    path: "/admin/collections/books/rename",
    body: { to: "novels" },
    sdk: 'await admin.renameCollection("books", { to: "novels" });',
  },
  {
    title: words.remove,
    method: "DELETE",
    path: "/admin/collections/books",
    sdk: 'await admin.deleteCollection("books");',
  },
  ...(drops
    ? [
        {
          title: words.drop,
          method: "DELETE",
          path: "/admin/collections/books?data=drop",
          sdk: 'await admin.deleteCollection("books", { data: "drop" });',
        },
      ]
    : []),
];
