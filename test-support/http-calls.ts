import type { z } from 'zod'
import { CERTIFICATE_FIELD, CERTIFICATE_TYPE } from '#services/trading/certificates/certificate-api.ts'
import { POSITION_HEADER } from '#services/framework/api/headers.ts'
import { IssuedApiKey } from '#services/identity/api-keys/api-key-api.ts'
import { WhatIf } from '#services/programmes/programmes/programme-api.ts'
import { keyScopes } from '#services/identity/api-keys/api-key-vocabulary.ts'
import { type Answer, type Browser, type RequestOptions, withJson } from './http-client.ts'
import type { Portal, Registered, Trader } from './portal.ts'
import { until } from './until.ts'

/** Calls that many tests of the API make. */

/** The body of an answer, parsed by a schema of the API. */
export function read<Schema extends z.ZodType>(schema: Schema, { body }: Answer): z.output<Schema> {
  return schema.parse(body)
}

/** Request options with the position of a change, so that a read shows it. */
export function after(change: Answer): RequestOptions {
  const position = change.headers.get(POSITION_HEADER)
  if (position === null) throw new Error(`An answer ${change.status} has no position: ${change.text}`)
  return { headers: { [POSITION_HEADER]: position } }
}

/** Has the what-if of a draft computed, and returns it once it is done. The path is that of the version. */
export async function tryDraft(admin: Browser, path: string): Promise<WhatIf> {
  const request = await admin.post(`${path}/what-if`)
  if (request.status !== 202) throw new Error(`The what-if was refused: ${request.text}`)
  return until(async () => {
    const whatIf = read(WhatIf, await admin.get(`${path}/what-if`, after(request)))
    return whatIf.state === 'done' && whatIf
  }, 'the what-if')
}

/** A trader who may request payouts. */
export async function eligibleTrader(portal: Portal, admin: Browser, given?: Partial<Registered>): Promise<Trader> {
  const trader = await portal.trader(given)
  await admin.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: true })
  return trader
}

/** A program that calls with a key, of all scopes unless others are given. */
export async function programOf(
  portal: Pick<Portal, 'browser'>,
  admin: Browser,
  { name = 'A program', scopes = keyScopes }: { readonly name?: string; readonly scopes?: readonly string[] } = {},
): Promise<Browser> {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const { key } = read(IssuedApiKey.required(), await admin.post('/api/admin/keys', { name, scopes, expiresAt }))
  const client = portal.browser()
  const send: Browser['send'] = (method, path, body, { headers } = {}) =>
    client.send(method, path, body, { headers: { authorization: `Bearer ${key}`, ...headers } })
  return withJson(client.cookies, send)
}

/** Bytes that begin like a PDF's. */
export function pdf(size = 1_000): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(size, 'no two lines are the same. ')
  bytes.write('%PDF-1.7\n', 'latin1')
  return bytes
}

export interface Upload {
  readonly name?: string | undefined
  readonly userId?: string | undefined
  readonly issuedAt?: string | undefined
  /** Null leaves the file out. */
  readonly file?: Buffer<ArrayBuffer> | null
  readonly type?: string
  readonly fileName?: string
}

/** Uploads a certificate, valid unless `upload` says otherwise. */
export function uploadCertificate(who: Browser, upload: Upload): Promise<Answer> {
  const {
    name = 'Phase 1 passed',
    userId,
    issuedAt,
    file = pdf(),
    type = CERTIFICATE_TYPE,
    fileName = 'certificate.pdf',
  } = upload
  const form = new FormData()
  form.append('name', name)
  if (userId !== undefined) form.append('userId', userId)
  if (issuedAt !== undefined) form.append('issuedAt', issuedAt)
  if (file) form.append(CERTIFICATE_FIELD, new Blob([file], { type }), fileName)
  return who.send('POST', '/api/admin/certificates', form)
}
