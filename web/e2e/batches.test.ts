import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import { traderWithRequests } from './admin-people.ts'
import { press } from './keyboard.ts'
import { describeSite } from './kit.ts'

describeSite('batches', (site) => {
  it('are made of approved payouts, released, taken as a file and answered by the bank', async () => {
    const admin = await site.portal.admin()
    const ids: string[] = []
    for (const holder of ['Ada Lovelace', 'Søren Søn']) {
      const trader = await eligibleTrader(site.portal, admin, { fullName: holder })
      const request = {
        amount: '3200.00',
        paymentMethod: 'bank',
        destination: { holder, iban: 'DE89370400440532013000' },
      }
      const { id } = read(Payout, await trader.post('/api/user/payouts', request))
      await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
      ids.push(id)
    }
    const { page, open, allowStatus, expectToast, expectGoodLook } = await site.visit({ as: admin })
    // The first IBAN is mistyped.
    allowStatus(400)
    await open('/admin/payouts')
    await page.getByRole('link', { name: 'Batches' }).click()
    await page.getByText('No batches').waitFor()
    await expectGoodLook()

    await page.getByRole('button', { name: "Firm's Account" }).click()
    const account = page.getByRole('dialog', { name: "Firm's Account" })
    await account.getByLabel('Name').fill('Proof GmbH')
    await account.getByLabel('IBAN').fill('NL91 ABNA 0417 1643 01')
    await account.getByLabel('BIC').fill('ABNANL2A')
    await account.getByRole('button', { name: 'Save' }).click()
    await account.getByText('This IBAN is mistyped: its check digits do not fit').first().waitFor()
    await account.getByLabel('IBAN').fill('NL91 ABNA 0417 1643 00')
    await account.getByRole('button', { name: 'Save' }).click()
    await expectToast("Firm's account saved")

    await page.getByRole('button', { name: 'New Batch' }).click()
    const made = page.getByRole('dialog', { name: 'New Batch' })
    await made.getByLabel('1 EUR = … USD').fill('1.086957')
    await made.getByText('so 1 USD = 0.92 EUR. ', { exact: false }).waitFor()
    await made.getByLabel('These figures are right').check()
    await made.getByText('2 payments, $6,400.00, in euro 5,888.00 EUR.', { exact: false }).waitFor()
    await made.getByLabel('Source of the rate').fill('ECB')
    await made.getByRole('button', { name: 'Make Batch of 2' }).click()
    await expectToast('Batch made', '2 payments, 5,888.00 EUR.')
    const payments = page.getByRole('table', { name: 'Payments' })
    await payments.getByText('The bank reads the name of the holder as “Soren Son”').waitFor()
    await expectGoodLook()

    const content = page.getByRole('region', { name: 'Content of the file' })
    await content.getByText('DE89370400440532013000', { exact: false }).waitFor()
    const shown = (await content.textContent()) ?? ''
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click()
    await expectToast('Batch released')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download File' }).click()
    const file = await readFile(await (await download).path())
    expect(file.toString()).toBe(shown)
    await page.getByText(createHash('sha256').update(file).digest('hex')).waitFor()
    await page.getByText('For the program of your bank or provider').waitFor()
    const forPeople = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download Spreadsheet' }).click()
    expect((await forPeople).suggestedFilename()).toMatch(/-for-people\.xlsx$/)
    const sheet = await readFile(await (await forPeople).path())
    await page.getByText(createHash('sha256').update(sheet).digest('hex')).waitFor()
    await expectGoodLook()

    await page.getByRole('link', { name: 'All batches' }).click()
    await page.getByRole('button', { name: 'Upload Answers' }).click()
    const answers = page.getByRole('dialog', { name: 'Upload Answers' })
    await answers.getByLabel('Format').selectOption('csv')
    const rows = [`${ids[0]}-1,2944.00,EUR,paid,`, `${ids[1]}-1,2944.01,EUR,paid,`]
    const buffer = Buffer.from(['reference,amount,currency,state,reason', ...rows].join('\n'))
    await answers.getByLabel('File').setInputFiles({ name: 'answers.csv', mimeType: 'text/csv', buffer })
    await answers.getByRole('button', { name: 'Record' }).click()
    await expectToast('Answers read', '1 of 2 recorded.')
    const outcomes = page.getByRole('table', { name: 'Answers' })
    const first = outcomes.locator('[data-row]').first()
    await first.getByText('Another amount').waitFor()
    await first.getByText('Compare the order with what the bank says, then record the payment by hand.').waitFor()
    await page.getByText('answers.csv: 1 of 2 needs somebody.').waitFor()
    await expectGoodLook()

    // From here by keyboard: what the bank says of names, while the last file stays until the next one is read.
    await press(page, page.getByRole('link', { name: 'All batches' }))
    await press(page, page.getByRole('link', { name: 'Answers of the bank' }))
    await first.getByText('Another amount').waitFor()
    await press(page, page.getByRole('button', { name: 'Upload Answers' }))
    await answers.getByLabel('Format').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Status')
    await expect.poll(() => answers.getByLabel('Format').inputValue()).toBe('pain.002')
    const names = [
      [`${ids[0]}-1`, '<TxSts>RVMC</TxSts>'],
      [`${ids[1]}-1`, '<TxSts>RVNM</TxSts>'],
    ].map(([id, status]) => `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId>${status}</TxInfAndSts>`)
    const report = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<OrgnlGrpInfAndSts><OrgnlMsgId>m1</OrgnlMsgId><GrpSts>RVCM</GrpSts></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>m1</OrgnlPmtInfId>${names.join('')}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`
    await answers
      .getByLabel('File')
      .setInputFiles({ name: 'names.xml', mimeType: 'application/xml', buffer: Buffer.from(report) })
    await page.keyboard.press('Control+Enter')
    await page.getByText('names.xml: 3 of 3 need somebody.').waitFor()
    await outcomes.getByText('Name does not match', { exact: true }).waitFor()
    await expectGoodLook()
    await page.reload()
    await page.getByText('No file was read in this tab').waitFor()
    await expectGoodLook()

    await open('/admin/payouts')
    await page.getByText('Name is close', { exact: true }).first().waitFor()
    await expectGoodLook()
  })

  it('name each payout that does not fit, and take payments again that failed', async () => {
    const admin = await site.portal.admin()
    await admin.patch('/api/admin/system/firm-account', {
      name: 'Proof GmbH',
      iban: 'NL91ABNA0417164300',
      bic: 'ABNANL2A',
    })
    const approved = async (fullName: string, destination: object | null) => {
      const trader = await eligibleTrader(site.portal, admin, { fullName })
      const request = { amount: '1000.00', paymentMethod: 'bank', paymentDetails: 'Account 42', destination }
      const { id } = read(Payout, await trader.post('/api/user/payouts', request))
      await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
      return id
    }
    const iban = 'DE89370400440532013000'
    const failing = await approved('Mary Jackson', { holder: 'Mary Jackson', iban })
    await approved('Dorothy Vaughan', { holder: 'Dorothy Vaughan', iban })
    await approved('Katherine Johnson', null)

    const { page, open, allowStatus, expectToast, expectGoodLook } = await site.visit({ as: admin })
    // One payout does not fit.
    allowStatus(409)
    await open('/admin/payouts/batches')
    await page.getByRole('button', { name: 'New Batch' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Batch' })
    await dialog.getByLabel('1 EUR = … USD').fill('1.111111')
    await dialog.getByLabel('Source of the rate').fill('ECB')
    await dialog.getByText('3 payments, $3,000.00, in euro 2,700.00 EUR.', { exact: false }).waitFor()
    await page.keyboard.press('Control+Enter')
    const problems = dialog.getByRole('region', { name: 'Payouts that do not fit' })
    await problems.getByRole('listitem').getByText('Katherine Johnson, $1,000.00').waitFor()
    expect(await problems.getByRole('listitem').count()).toBe(1)
    await expectGoodLook()
    await problems.getByRole('button', { name: 'Leave it out' }).click()
    await problems.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Enter')
    await expectToast('Batch made', '2 payments, 1,800.00 EUR.')
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click()
    await expectToast('Batch released')
    await admin.patch(`/api/admin/payouts/${failing}/payment`, { state: 'failed', reason: 'AC04: closed account' })
    // What failed is first in its batch.
    await page.getByText('1 sent, 1 failed.').waitFor()
    await page.locator('[data-row]').first().getByText('Mary Jackson', { exact: true }).waitFor()
    await page.locator('[data-row]').first().getByText('AC04: closed account').waitFor()

    await page.getByRole('link', { name: 'All batches' }).click()
    await page.getByRole('button', { name: 'New Batch' }).click()
    await dialog.getByLabel('1 EUR = … USD').fill('1.111111')
    const again = dialog.getByRole('group', { name: 'Failed or returned' })
    await again.getByText('Failed: AC04: closed account').waitFor()
    const box = again.getByLabel('Mary Jackson, $1,000.00')
    expect(await box.isChecked()).toBe(false)
    await box.check()
    await dialog.getByRole('group', { name: 'To be paid' }).getByLabel('All 1').uncheck()
    await expectGoodLook()
    await page.keyboard.press('Control+Enter')
    await expectToast('Batch made', '1 payment, 900.00 EUR.')
    await page.getByRole('cell', { name: `${failing}-2` }).waitFor()
    await page.getByRole('link', { name: 'All batches' }).click()
    // Found by its total: until the list has the new batch, each one has another place in it.
    const first = page.getByRole('table', { name: 'Batches' }).locator('[data-row]', { hasText: '1,800.00 EUR' })
    await first.getByRole('link').click()
    await page.getByText('In another batch').waitFor()
  })

  it('are listed page by page, and found by their state', async () => {
    const admin = await site.portal.admin()
    const amounts = Array.from({ length: 26 }, (_, index) => `${200 + index}.00`)
    const trader = await traderWithRequests(site.portal, admin, 'Many Batches', amounts)
    for (let number = 1; number <= 26; number++) {
      const id = `${trader.id}-a1-p${number}`
      await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
      const { body } = await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts: [id] })
      if (number === 1) await admin.post(`/api/admin/batches/${Object(body).id}/cancel`)
    }
    const { page, open, expectGoodLook } = await site.visit({ as: admin })
    await open('/admin/payouts/batches')
    const rows = page.getByRole('table', { name: 'Batches' }).locator('[data-row]')
    await expect.poll(() => rows.count()).toBe(25)
    await rows.first().getByText('$225.00').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await rows.getByText('$200.00').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await rows.getByText('$225.00').waitFor()
    await page.getByLabel('State').selectOption('Cancelled')
    await page.getByText('1 of 1 batches').waitFor()
    await expectGoodLook()
  })
})
