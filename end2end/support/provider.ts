import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Who may sign in there, and the groups they are in. */
export const ACCOUNTS: Record<string, string[]> = {
  ada: ['jobs-admins'],
  sam: ['jobs-support', 'choir'],
  tom: ['choir'],
};

/** What it calls the program. */
export const CLIENT = 'reprieve';
/** How long ago somebody proved themselves who is just sent on, in seconds: at breakfast. */
const PROVED_AGO = 3_600;

interface Grant {
  account: string;
  nonce: string;
  challenge: string;
  back: string;
  proved: number;
}

/**
 * An honest provider of OpenID Connect with a page of its own, on this machine.
 *
 * Its page asks who one is, and has a way to say no. Signatures are ES256.
 */
export class Provider {
  readonly issuer: string;
  readonly #server: Server;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #grants = new Map<string, Grant>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    // A literal address: `localhost` would be no issuer on this machine to everybody.
    this.issuer = `http://127.0.0.1:${port}/realm`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<Provider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (!address || typeof address !== 'object') throw new Error('no port');
    return new Provider(server, address.port);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.issuer);
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    switch (url.pathname) {
      case '/realm/.well-known/openid-configuration':
        return void json({
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/keys`,
        });
      case '/realm/keys':
        return void json({ keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' }] });
      case '/realm/authorize':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end(page(url.searchParams));
      case '/realm/chosen':
        return void response.writeHead(302, { location: this.#grant(url.searchParams) }).end();
      case '/realm/token': {
        const token = this.#token(new URLSearchParams(await text(request)));
        return void (token ? json({ access_token: 'a', token_type: 'Bearer', id_token: token }) : json({ error: 'invalid_grant' }, 400));
      }
      default:
        return void json({}, 404);
    }
  }

  /** Where a browser goes back to whose person has chosen an account, or none. */
  #grant(query: URLSearchParams): string {
    const of = (name: string) => query.get(name) ?? '';
    const back = new URL(of('redirect_uri'));
    back.searchParams.set('state', of('state'));
    const account = of('account');
    if (!ACCOUNTS[account]) {
      back.searchParams.set('error', 'access_denied');
      return back.href;
    }
    const code = randomUUID();
    const now = Math.floor(Date.now() / 1_000);
    const proved = of('prompt') === 'login' ? now : now - PROVED_AGO;
    this.#grants.set(code, { account, nonce: of('nonce'), challenge: of('code_challenge'), back: of('redirect_uri'), proved });
    back.searchParams.set('code', code);
    return back.href;
  }

  /** Exchanges a code once, for the client it was given to. */
  #token(form: URLSearchParams): string | undefined {
    const grant = this.#grants.get(form.get('code') ?? '');
    this.#grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
    if (!grant || challenge !== grant.challenge || form.get('redirect_uri') !== grant.back) return undefined;
    const now = Math.floor(Date.now() / 1_000);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      iss: this.issuer,
      aud: CLIENT,
      sub: `sub-${grant.account}`,
      nonce: grant.nonce,
      iat: now,
      exp: now + 300,
      auth_time: grant.proved,
      preferred_username: grant.account,
      groups: ACCOUNTS[grant.account],
    };
    const message = `${part({ alg: 'ES256', typ: 'JWT', kid: 'first' })}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(message), { key: this.#keys.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${message}.${signature.toString('base64url')}`;
  }
}

/** The provider's page; what came in the address goes on in the links. */
function page(query: URLSearchParams): string {
  const link = (account: string, words: string) => {
    const chosen = new URLSearchParams(query);
    chosen.set('account', account);
    return `<p><a href="/realm/chosen?${chosen.toString().replaceAll('&', '&amp;')}">${words}</a></p>`;
  };
  const asked = query.get('prompt') === 'login' ? 'Type your password again' : 'Who are you?';
  const links = Object.keys(ACCOUNTS).map((account) => link(account, `Continue as ${account}`));
  return `<!DOCTYPE html><title>Example SSO</title><link rel="icon" href="data:,"><h1>${asked}</h1>${links.join('')}${link('', 'Cancel')}`;
}
