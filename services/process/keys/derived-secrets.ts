import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { Unavailable } from '#infra/failures.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'

/** Keys and hashes derived from the root secret of an installation, with a separate key for each purpose. */
export type Secrets = ReturnType<typeof createSecrets>

export function deriveSecrets(root: Uint8Array | string): Secrets {
  return createSecrets(() => root)
}

/**
 * @param root Undefined until the root secret is unwrapped: each use fails until then, as if the key store were
 * unavailable.
 */
export function createSecrets(root: () => Uint8Array | string | undefined) {
  const keys = new Map<string, Uint8Array>()
  const derive = (purpose: string): Uint8Array => {
    const secret = root()
    if (secret === undefined)
      throw new Unavailable('key store', { cause: new Error('Its root secret is not unwrapped yet') })
    return new Uint8Array(hkdfSync('sha256', secret, 'proofdesk', purpose, 32))
  }
  const keyFor = (purpose: string): Uint8Array => {
    const key = keys.get(purpose) ?? derive(purpose)
    keys.set(purpose, key)
    return key
  }
  const macOf = (purpose: string, content: string) => createHmac('sha256', keyFor(purpose)).update(content)
  return {
    /** Wraps the keys of persons. 32 bytes. */
    get wrappingKey() {
      return keyFor('wrapping of personal keys')
    },
    /** Authenticates events. 32 bytes. */
    get eventKey() {
      return keyFor('authentication of events')
    },
    /** Authenticates backups. 32 bytes. */
    get backupKey() {
      return keyFor('authentication of backups')
    },
    /** Authenticates what the portal notes of its own operation. 32 bytes. */
    get recordKey() {
      return keyFor('authentication of operation records')
    },
    /** Keyed hash of an email as a claim stream's id, hex; letter case and surrounding blanks do not count. */
    emailHash: (email: string) => macOf('email claims', email.trim().toLowerCase()).digest('hex'),
    /** Keyed hash of a login on a server as a claim stream's id, hex; letter case and surrounding blanks do not count. */
    platformLoginHash: (server: string, login: string) =>
      macOf('platform login claims', JSON.stringify([server, login].map((text) => text.trim().toLowerCase()))).digest(
        'hex',
      ),
    /** Keyed hash of an admin's access key, hex; its first 32 digits are the key's id. */
    accessKeyHash: (accessKey: string) => macOf('admin access keys', accessKey).digest('hex'),
    /** Keyed hash of a program's key, hex; its first 32 digits are the key's id. */
    apiKeyHash: (key: string) => macOf('keys of programs', key).digest('hex'),
    /** Keyed hash of an order of a shop as its stream's id, hex. */
    orderHash: (order: string) => macOf('orders', order).digest('hex'),
    /** Keyed digest of a request's content, hex: distinguishes requests without revealing their content. */
    requestDigest: (content: string) => macOf('request digests', content).digest('hex'),
    /** Keyed hash of the code of a shared certificate's link, hex. */
    shareCodeHash: (code: string) => macOf('codes of shared certificates', code).digest('hex'),
    /**
     * Keyed hash of a member of staff as one person's history names them, hex: the same for the same two, unlike for
     * any other person. None of others.
     */
    actorHash: (personId: string, { kind, id }: Context['actor']) =>
      kind === 'admin' && id !== undefined
        ? macOf('staff in a history', JSON.stringify([personId, id]))
            .digest('hex')
            .slice(0, 32)
        : undefined,
    /**
     * MAC of a stored row that gives a right, base64url: bound to the kind and the id of the row, so that it is wrong for
     * any other.
     */
    rowMac: (kind: string, id: string, content: readonly (string | number)[]) =>
      macOf('stored rows', JSON.stringify([kind, id, ...content])).digest('base64url'),
    /**
     * MAC of a document of a read model, base64url: bound to its collection, its id and its position. None of these has
     * a line break.
     */
    documentMac: (collection: string, id: string, position: string, content: string) =>
      macOf('documents of read models', `${collection}\n${id}\n${position}\n${content}`).digest('base64url'),
    /** The mark a browser keeps to show that this subject has signed in with it before, base64url. */
    deviceMark: (subject: string) => macOf('known devices', subject).digest('base64url'),
    /** Keyed hash, base64url: signs short-lived tokens, and hides recovery codes. Contents begin with their purpose. */
    tokenMac: (content: string) => macOf('signed tokens', content).digest('base64url'),
  }
}

/** For random tokens of 128 bits or more, which need no salt: hex. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Compares two secrets' hashes in constant time. */
export function hashesEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
