import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Request, Response } from 'express'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { RETRY_HEADER } from '#services/framework/api/headers.ts'
import type { certificateRoutes } from '../certificate-api.ts'
import type { Status } from '#services/framework/api/route.ts'
import type { Certificate } from '#services/trading/stream/certificate.ts'
import { certificates } from '../certificate-read-model.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { hashesEqual } from '#services/process/keys/derived-secrets.ts'
import { accountOf, certificateId, ownerOf } from '#services/framework/ids.ts'
import { BUILT_FOLDER } from '#services/framework/http/static-app.ts'
import { clientNetwork } from '#services/framework/http/client-network.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { sendBytes } from '#services/framework/http/memory-file.ts'
import { receiptOf } from '#services/proof/event-receipt.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Queries } from '#services/framework/module.ts'

/**
 * The public page of a shared certificate, and its receipt. The read model finds the certificate of a link; all that is
 * shown comes from the log. The frame is built from web/certificate.
 */

const FRAME = join(BUILT_FOLDER, 'certificate', 'certificate.html')

const CODE = /^[\w-]{22}$/

/** Registers the page and the receipt. */
export function sharedCertificates(parts: TradingParts['queries'], file = FRAME) {
  const { readModels, repositories, eventStore, transparencyLog, secrets, config, firm, throttle, now } = parts
  const frame = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  // The page's own policy names the hashes of its script and its styles, and allows nothing else.
  const [, policy] = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(frame ?? '') ?? []

  const sendPage = (response: Response, status: Status, content: string, issuer = 'Proofdesk'): void => {
    if (frame === undefined || policy === undefined)
      throw new HttpError(503, { message: 'The page of certificates is not built. Run: npm run build' })
    response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`)
    sendBytes(response.status(status), 'html', Buffer.from(named(frame, issuer).replace('%CONTENT%', () => content)))
  }

  /** Sets the headers of every answer and counts the request; false where that answered it. */
  const admit = async (request: Request, response: Response): Promise<boolean> => {
    // Never kept, so that nothing outlives the end of a link.
    response.setHeader('Cache-Control', 'no-store')
    response.setHeader('X-Robots-Tag', 'noindex, nofollow')
    const wait = await throttle.take('sharedCertificateNetwork', clientNetwork(request))
    if (wait === 0) return true
    response.setHeader(RETRY_HEADER, String(Math.ceil(wait / 1000)))
    sendPage(response, 429, tooManyPage)
    return false
  }

  /** The certificate that a code leads to, and its event; undefined where there is none, for any reason. */
  const find = async (code: string): Promise<SharedCertificate | undefined> => {
    if (!CODE.test(code)) return undefined
    const codeHash = secrets.shareCodeHash(code)
    const { documents } = await readModels.find(certificates, { where: { codeHash }, limit: 1 })
    const { data: id } = certificateId.safeParse(documents[0]?.id)
    if (!id) return undefined
    const accountId = accountOf(id)
    const { state: owner } = await repositories.of(userStreams).load(ownerOf(accountId))
    const { state } = await repositories.of(accountStreams).load(accountId)
    const certificate = state.certificates.get(id)
    // A deletion takes effect here at its first step, whichever it is.
    if (!certificate?.share || !owner.exists || state.account.erased) return undefined
    const { share, name, revision } = certificate
    if (!hashesEqual(share.codeHash, codeHash)) return undefined
    const event = await eventAt(streamName(accountStreams, accountId), revision)
    if (!event) return undefined
    const title = share.showsName ? name : withoutName(name, owner.fullName)
    const holder = share.showsName ? owner.fullName : undefined
    return { certificate, title, holder, isBanned: owner.ban !== null, event }
  }

  const eventAt = async (stream: string, revision: number): Promise<StoredEvent | undefined> => {
    for await (const [event] of eventStore.readStream(stream, revision, 1))
      return event?.revision === revision && isAuthentic(event) ? event : undefined
    return undefined
  }

  /**
   * The issuer as it was called when it issued the certificate, and its name of today where that is another one. Never
   * by the request: whoever sends a link must not name the issuer.
   */
  const issuerOf = async ({ uploadedAt }: Certificate): Promise<Pick<Circumstances, 'firmName' | 'nameToday'>> => {
    const host = config.publicUrl?.host
    const [firmName = host, { name: nameToday = host }] = [await firm.nameAt(uploadedAt), await firm.now()]
    return { firmName, nameToday: nameToday === firmName ? undefined : nameToday }
  }

  return {
    sharedCertificate: {
      needs: [certificates],
      handle: async ({ params: { code }, request, response }) => {
        if (!(await admit(request, response))) return undefined
        const found = await find(code)
        if (!found) return void sendPage(response, 404, unknownPage)
        const isSealed = (await receiptOf(found.event, transparencyLog)) !== undefined
        const issuer = await issuerOf(found.certificate)
        sendPage(response, 200, certificatePage(found, { ...issuer, code, isSealed, now: now() }), issuer.firmName)
        return undefined
      },
    },

    sharedReceipt: {
      needs: [certificates],
      handle: async ({ params: { code }, request, response }) => {
        if (!(await admit(request, response))) return undefined
        const found = await find(code)
        if (!found) return void sendPage(response, 404, unknownPage)
        const receipt = await receiptOf(found.event, transparencyLog)
        if (receipt === undefined) return void sendPage(response, 404, noReceiptPage)
        response.setHeader(
          'Content-Disposition',
          `attachment; filename="certificate-${found.event.position}.tlog-proof"`,
        )
        sendBytes(response, 'text/plain; charset=utf-8', Buffer.from(receipt))
        return undefined
      },
    },
  } satisfies Partial<Queries<typeof certificateRoutes>>
}

/** The browser's tab names the issuer. */
function named(frame: string, issuer: string): string {
  return frame.replace('<title>Certificate · Proofdesk</title>', () => `<title>Certificate · ${text(issuer)}</title>`)
}

interface SharedCertificate {
  readonly certificate: Certificate
  readonly title: string
  /** Undefined where the holder chose not to show the name. */
  readonly holder: string | undefined
  readonly isBanned: boolean
  readonly event: StoredEvent
}

interface Circumstances {
  /** Undefined where the operator has named none. */
  readonly firmName: string | undefined
  /** Where it is another one. */
  readonly nameToday: string | undefined
  readonly code: string
  readonly isSealed: boolean
  readonly now: number
}

function certificatePage(
  { certificate, title, holder, isBanned, event }: SharedCertificate,
  { firmName, nameToday, code, isSealed, now }: Circumstances,
): string {
  const { issuedAt, uploadedAt, revokedAt } = certificate
  const firm = firmName ?? 'the firm'
  const theFirm = firmName ?? 'The firm'
  const state =
    revokedAt !== null
      ? `<p class="state bad"><strong>✗ Revoked on ${day(revokedAt)}.</strong> ${text(theFirm)} issued this certificate and has declared it invalid since. Do not rely on it.</p>`
      : isBanned
        ? `<p class="state bad"><strong>✗ The holder is banned.</strong> ${text(theFirm)} issued this certificate, and has banned its holder since. Do not rely on it. Checked ${moment(now)}.</p>`
        : `<p class="state good"><strong>✓ Valid.</strong> ${text(theFirm)} issued this certificate and has not revoked it. Checked ${moment(now)}.</p>`
  const rows: readonly (readonly [name: string, value: string])[] = [
    [
      'Issued to',
      holder === undefined ? '<span class="muted">The holder does not show a name here</span>' : text(holder),
    ],
    ['Issued by', `${text(theFirm)}${nameToday === undefined ? '' : `, which is called ${text(nameToday)} today`}`],
    ['Issue date', day(Date.parse(issuedAt))],
    ['Recorded', `${moment(uploadedAt)}, as entry #${text(event.position)} of the firm’s log`],
  ]
  return `<header><p class="kind">Certificate</p><h1>${text(title)}</h1></header>
<main>
${state}
<section class="card" aria-label="The certificate"><dl class="facts">${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl></section>
<section class="card" aria-labelledby="check-title">
<h2 id="check-title">Is your PDF this certificate?</h2>
<div id="drop" data-sha256="${text(certificate.sha256)}">
<label for="file">Drop the PDF here, or choose it</label>
<input type="file" id="file" accept=".pdf,application/pdf" aria-describedby="file-help" />
<p id="file-help" class="muted small">It stays on your machine: this page sends nothing.</p>
</div>
<p id="verdict" role="status"></p>
<noscript><p>To check a file here, this page needs JavaScript.</p></noscript>
</section>
<section class="card" aria-labelledby="receipt-title">
<h2 id="receipt-title">Receipt</h2>
<p>The receipt proves that entry #${text(event.position)}, in which ${text(firm)} issued this certificate, is in its signed log and was not changed since. It proves this without the firm’s help, also when this page is gone.</p>
${
  isSealed
    ? `<p><a class="button" href="/c/${text(code)}/receipt" download>Download the receipt</a></p>
<p class="muted small">For programs that read C2SP tlog-proofs. It holds the number of the holder’s account, and no name.</p>`
    : '<p class="muted">The entry is new. Its receipt is here in a few minutes.</p>'
}
</section>
</main>`
}

const page = (title: string, words: string) =>
  `<header><h1>${title}</h1></header><main><section class="card"><p>${words}</p></section></main>`

/** The same for a link that never existed, one that ended, and one of a person who was deleted. */
const unknownPage = page(
  'There is no certificate here',
  'This link leads to no certificate. Check that the link is complete: it ends with 22 letters and digits. If someone sent it to you, ask them for a new one.',
)
const noReceiptPage = page(
  'The receipt is not ready',
  'The entry of this certificate is new. Its receipt is here in a few minutes.',
)
const tooManyPage = page(
  'Too many requests',
  'Many pages were opened from your network. Please try again in some minutes.',
)

const WORD = /[\p{L}\p{N}\p{M}]+/gu

/** A word without accents and letter case. */
const folded = (word: string) => word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The longest ending of a name that languages add to it. */
const LONGEST_ENDING = 2

/**
 * A certificate's name without the words of its holder's name: an administrator may have written them into it, also
 * with other accents or with an ending.
 */
export function withoutName(title: string, fullName: string): string {
  const names = fullName
    .split(/\s+/)
    .filter((part) => part.length > 1)
    .flatMap((part) => part.match(WORD) ?? [])
    .map(folded)
  const isOfName = (word: string) =>
    names.some(
      (name) =>
        word === name ||
        (name.length > LONGEST_ENDING + 1 && word.startsWith(name) && word.length <= name.length + LONGEST_ENDING),
    )
  return title.replaceAll(WORD, (word) => (isOfName(folded(word)) ? '…' : word)).replaceAll(/…(?:\s+…)+/g, '…')
}

function text(plain: string): string {
  return plain.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

const longDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

function day(at: number): string {
  return longDay.format(at)
}

/** The reader's time zone is unknown. */
function moment(at: number): string {
  return `${day(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
}
