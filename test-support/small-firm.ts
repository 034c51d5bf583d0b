import type { Dependencies } from '#services/portal/composition-root.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import { type LogVerification, verifyLog } from '#services/proof/log-verification.ts'
import { after, pdf, read, uploadCertificate } from './http-calls.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import type { Portal, Trader } from './portal.ts'

/** A small firm with everything that a copy must contain: events, keys, a destroyed key, files and seals. */
export interface Firm {
  readonly traders: readonly Trader[]
  /** The address of each trader's certificate. */
  readonly certificates: readonly { readonly trader: Trader; readonly address: string; readonly content: Buffer }[]
  readonly erased: string
}

/** Creates the firm in a portal. */
export async function createFirm(portal: Portal): Promise<Firm> {
  const admin = await portal.admin()
  const traders = [await portal.trader(), await portal.trader(), await portal.trader()]
  const certificates = []
  for (const [index, trader] of traders.entries()) {
    await admin.patch(`/api/admin/user/${trader.id}/account`, {
      balance: `${index + 1}0000.00`,
      status: 'active',
      payoutEnabled: true,
    })
    await trader.post('/api/user/payouts', { amount: '250.00', paymentMethod: 'paypal', paymentDetails: trader.email })
    const content = pdf(20_000 + index)
    const issued = await uploadCertificate(admin, { userId: trader.id, file: content })
    certificates.push({ trader, address: read(Certificate, issued).fileUrl, content })
  }
  await seal(portal.running.parts)
  const [gone, ...left] = traders
  if (!gone) throw new Error('There is no trader')
  const deleted = await admin.delete(`/api/admin/user/${gone.id}`)
  await admin.get('/api/admin/users', after(deleted))
  await seal(portal.running.parts)
  for (const trader of left) await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '77000.00' })
  await portal.mailed()
  return { traders: left, certificates: certificates.filter(({ trader }) => trader !== gone), erased: gone.id }
}

/** Seals all events so far. */
export function seal(parts: Dependencies): Promise<number> {
  return createSealer({ ...parts, origin: parts.logOrigin, checkpoints: parts.readModelStore.checkpoints }).sealAll()
}

/** The result of `audit verify`. */
export async function verified({ eventStore, publishedTree, personKeys }: Dependencies): Promise<LogVerification> {
  return verifyLog({ eventStore, publishedTree, keys: await signingKeys(personKeys) })
}
