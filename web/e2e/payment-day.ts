import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { until } from '#test-support/until.ts'
import type { Site, Visit } from './kit.ts'
import { expectNothingCovered, goTo, press, slip } from './keyboard.ts'

interface PaymentDay {
  readonly maker: Visit
  readonly releaser: Visit
  /** How many approved payouts are to be paid. */
  readonly count: number
}

/**
 * One member makes a batch of all approved payouts, the other releases it, takes its file, and uploads what the bank
 * answers: one payment failed, which goes into a further batch. By keyboard alone, but for the choice of a file.
 */
export async function payApproved(site: Site, { maker, releaser, count }: PaymentDay): Promise<void> {
  const firm = { name: 'Proof GmbH', iban: 'NL91ABNA0417164300', bic: 'ABNANL2A' }
  await (await site.portal.admin()).patch('/api/admin/system/firm-account', firm)
  await goTo(maker.page, 'Batches of payments')
  await makeBatch(maker, count)
  await isLeftToAnother(maker.page)

  const { page } = releaser
  await goTo(page, 'Batches of payments')
  await press(page, page.getByRole('table', { name: 'Batches' }).getByRole('link'))
  await release(page)
  const file = await takeFile(page)
  const orders = [...file.matchAll(/<EndToEndId>(.+?)<\/EndToEndId>.*?<InstdAmt Ccy="EUR">(.+?)</gs)].map(
    ([, reference = '', amount = '']) => ({ reference, cents: Number(amount.replace('.', '')) }),
  )
  expect(new Set(orders.map(({ reference }) => reference)).size).toBe(count)
  const sum = orders.reduce((total, { cents }) => total + cents, 0)
  expect(file).toContain(`<NbOfTxs>${count}</NbOfTxs><CtrlSum>${(sum / 100).toFixed(2)}</CtrlSum>`)

  const [failed = '', ...arrived] = orders.map(({ reference }) => reference)
  await uploadAnswer(page, bankAnswer(failed, [...arrived, 'nobody-a1-p1-1']))
  const report = page.getByRole('table', { name: 'Answers' })
  await report.locator('[data-row]').first().getByText('No payment has this reference').waitFor()
  await report.getByText('RJCT, rejected: AC04, the account is closed').waitFor()
  await expectNothingCovered(page)
  await press(page, page.getByRole('link', { name: 'All batches' }))

  await openNewBatch(page, false)
  await page.getByText('Failed: AC04, the account is closed').waitFor()
  await press(page, page.getByRole('checkbox', { name: /^Trader/ }), 'Space')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('cell', { name: failed.replace(/1$/, '2') }).waitFor()

  const events = await site.portal.events()
  const ofType = (type: string) => events.filter((event) => event.type === type)
  expect(ofType('PaymentSent')).toHaveLength(count)
  expect(ofType('PaymentPaid')).toHaveLength(count - 1)
  expect(ofType('PaymentFailed')).toHaveLength(1)
  expect(ofType('BatchReleased')).toHaveLength(1)
}

/** Opens the form, and types the rate; the first one ever is confirmed. */
async function openNewBatch(page: Page, isFirst: boolean): Promise<void> {
  await press(page, page.getByRole('button', { name: 'New Batch' }))
  const dialog = page.getByRole('dialog', { name: 'New Batch' })
  await dialog.getByLabel('Format').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('1.082954')
  await dialog.getByText('so 1 USD = 0.9234 EUR.', { exact: false }).waitFor()
  if (isFirst) await press(page, dialog.getByLabel('These figures are right'), 'Space')
  await page.keyboard.press('Tab')
  await page.keyboard.type('ECB, today')
}

async function makeBatch({ page, expectToast }: Visit, count: number): Promise<void> {
  await openNewBatch(page, true)
  const dialog = page.getByRole('dialog', { name: 'New Batch' })
  await dialog
    .getByRole('button', { name: `Make Batch of ${count}` })
    .and(page.locator(':enabled'))
    .waitFor()
  await slip(page)
  expect(await dialog.getByLabel('1 EUR = … USD').inputValue()).toBe('1.082954')
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/batches\/.+/)
  await expectToast('Batch made')
  await page.getByText(`${count} payments, `).first().waitFor()
  await expectNothingCovered(page)
}

async function release(page: Page): Promise<void> {
  await press(page, page.getByRole('button', { name: 'Release' }))
  const question = page.getByRole('alertdialog', { name: 'Release this batch' })
  await question.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
  await expectNothingCovered(page)
  await press(page, question.getByRole('button', { name: 'Release' }))
  await question.waitFor({ state: 'detached' })
}

async function isLeftToAnother(page: Page): Promise<void> {
  await page.getByText('You made this batch: another member of staff releases it.').waitFor()
  expect(await page.getByRole('button', { name: 'Release' }).count()).toBe(0)
}

/** Takes the file twice: the same bytes, with the hash that the page shows. */
async function takeFile(page: Page): Promise<string> {
  const take = async () => {
    const download = page.waitForEvent('download')
    await press(page, page.getByRole('link', { name: 'Download File' }))
    return readFile(await (await download).path())
  }
  const file = await take()
  await page.getByText(createHash('sha256').update(file).digest('hex')).waitFor()
  expect((await take()).equals(file)).toBe(true)
  return file.toString('utf8')
}

async function uploadAnswer(page: Page, text: string): Promise<void> {
  await press(page, page.getByRole('link', { name: 'All batches' }))
  await press(page, page.getByRole('button', { name: 'Upload Answers' }))
  const dialog = page.getByRole('dialog', { name: 'Upload Answers' })
  await dialog.getByLabel('Format').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Status')
  await until(async () => (await dialog.getByLabel('Format').inputValue()) === 'pain.002', 'the format to be chosen')
  await dialog
    .getByLabel('File')
    .setInputFiles({ name: 'answer.xml', mimeType: 'application/xml', buffer: Buffer.from(text) })
  await page.keyboard.press('Control+Enter')
}

/** A status report that refuses one payment, and has paid the others. */
function bankAnswer(failed: string, paid: readonly string[]): string {
  const payment = (reference: string, status: string) =>
    `<TxInfAndSts><OrgnlEndToEndId>${reference}</OrgnlEndToEndId>${status}</TxInfAndSts>`
  const payments = [
    ...paid.map((reference) => payment(reference, '<TxSts>ACSC</TxSts>')),
    payment(failed, '<TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>'),
  ]
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt>
<GrpHdr><MsgId>m1</MsgId><CreDtTm>2026-11-26T08:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>ours</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>ours</OrgnlPmtInfId><PmtInfSts>PART</PmtInfSts>${payments.join('\n')}</OrgnlPmtInfAndSts>
</CstmrPmtStsRpt></Document>`
}
