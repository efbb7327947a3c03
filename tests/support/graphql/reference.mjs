// graphql-js as the reference for a schema, requests and responses: one JSON object per line in, one per line out.
import readline from 'node:readline';
import { buildClientSchema, execute, parse, validate, validateSchema } from 'graphql';

let schema;
let world; // {documents: {collection: {id: document}}, relations: {Type: {field: {key, collection, many}}}, keys: {Type: {field: key}}}

function rootField(name, args) {
  const { collection, kind } = world.roots[name];
  const all = Object.values(world.documents[collection]).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (kind === 'byId') return world.documents[collection][args.id] ?? null;
  if (kind === 'count') return all.length;
  const behind = args.after == null ? all : all.filter((one) => one.id > args.after);
  const skip = args.skip ?? 0;
  return behind.slice(skip, skip + (args.limit ?? 50));
}

function fieldResolver(source, args, _context, info) {
  const type = info.parentType.name;
  if (type === 'Query') return rootField(info.fieldName, args);
  const relation = world.relations[type]?.[info.fieldName];
  if (relation === undefined) {
    if (info.fieldName === 'data' && world.loose.includes(type)) {
      const { id, createdAt, updatedAt, ownerId, ...rest } = source;
      return rest;
    }
    return source[world.keys[type]?.[info.fieldName] ?? info.fieldName];
  }
  const value = source[relation.key];
  if (value == null) return null;
  const found = (id) => world.documents[relation.collection][id] ?? null;
  return relation.many ? value.map(found).filter((one) => one !== null) : found(value);
}

const tasks = {
  schema({ introspection }) {
    schema = buildClientSchema(introspection);
    return { problems: validateSchema(schema).map((error) => error.message) };
  },
  world(given) {
    world = given;
    return {};
  },
  validate({ query }) {
    let document;
    try {
      document = parse(query);
    } catch (error) {
      return { problems: [error.message] };
    }
    return { problems: validate(schema, document).map((error) => error.message) };
  },
  async execute({ query, variables }) {
    const result = await execute({ schema, document: parse(query), variableValues: variables, fieldResolver });
    return JSON.parse(JSON.stringify(result));
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { task, ...given } = JSON.parse(line);
  let answer;
  try {
    answer = await tasks[task](given);
  } catch (error) {
    answer = { thrown: String(error.stack) };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
