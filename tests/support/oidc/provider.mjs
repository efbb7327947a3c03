// An OpenID Connect provider for tests: node provider.mjs '{"port": …, "callbacks": […]}'. Its keys are new at each
// start. It accepts any name: the address is <name>@example.com, verified unless the name begins with "un".
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Provider } from 'oidc-provider';

const { port, callbacks } = JSON.parse(process.argv[2]);
const issuer = `http://127.0.0.1:${port}`;

function jwk(type, options, alg) {
  const { privateKey } = generateKeyPairSync(type, options);
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg, kid: randomUUID() };
}

function client(id, alg) {
  return {
    client_id: id,
    client_secret: `secret of ${id} & more`.replaceAll(' ', '-'),
    redirect_uris: callbacks,
    id_token_signed_response_alg: alg,
  };
}

const provider = new Provider(issuer, {
  clients: [client('shop', 'RS256'), client('shop-es', 'ES256'), client('shop-ed', 'EdDSA')],
  jwks: {
    keys: [
      jwk('rsa', { modulusLength: 2048 }, 'RS256'),
      jwk('ec', { namedCurve: 'P-256' }, 'ES256'),
      jwk('ed25519', {}, 'EdDSA'),
    ],
  },
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@example.com`,
      email_verified: !id.startsWith('un'),
      name: `Name of ${id}`,
    }),
  }),
});
provider.listen(port, '127.0.0.1', () => console.log('listening'));
