import { expect, it } from 'vitest'
import { publishedProgramme, tradeAt, watchedTerms, watchedTrader } from '#test-support/programme-account.ts'
import { describeSite } from './kit.ts'

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

describeSite('an account in the details of its trader', (site) => {
  it('tells support what was traded, how old that is and where it came from', async () => {
    const admin = await site.portal.admin()
    const programme = await publishedProgramme(admin, watchedTerms())
    const { trader, account, observe } = await watchedTrader(site.portal, admin, programme, { fullName: 'Mary Ward' })
    const facts = { symbol: 'EURUSD', side: 'buy', openPrice: '1.08410', closePrice: '1.08535' }
    const equity = { kind: 'state', balance: '99790.00', equity: '99390.00', open: true }
    await observe([
      { ...tradeAt('T1', hoursAgo(50), '-210.00'), ...facts },
      { at: hoursAgo(49), ...equity },
    ])
    await site.portal.atEnd()
    const support = await site.portal.member('support')
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: support })
    await open(`/admin/users?user=${trader.id}`)
    const dialog = page.getByRole('dialog', { name: 'Mary Ward' })

    await dialog.getByRole('tab', { name: 'Overview' }).click()
    await dialog.getByText('older than a day. The figures below do not hold what was traded since.').waitFor()
    await dialog.getByText('Floating result -$400.00', { exact: false }).waitFor()
    await dialog.getByText('1 of 4 days', { exact: true }).waitFor()
    expect(await dialog.getByText('Resets in').count()).toBe(0)
    await expectGoodLook()
    await expectNoSidewaysScroll(320, 390, 768, 1024)

    await dialog.getByRole('tab', { name: 'Performance' }).click()
    const trade = dialog.getByRole('table', { name: 'Trades' }).getByRole('row').filter({ hasText: 'T1' })
    for (const fact of ['EURUSD', '1.08410', '1.08535', '-$210.00']) await trade.getByText(fact).first().waitFor()

    // The address opens the same again, and the event is that of the audit.
    await open(`/admin/users?user=${trader.id}&account=${account}&part=observations&observed=trade`)
    const observations = dialog.getByRole('table', { name: 'Observations' })
    const row = observations.getByRole('row').filter({ hasText: 'T1' })
    await row.getByText('Sent by a program').waitFor()
    await row.getByText('Bridge,', { exact: false }).waitFor()
    expect(await observations.getByText('State', { exact: true }).count()).toBe(0)
    await row
      .getByRole('link', { name: /^#\d+$/ })
      .first()
      .click()
    await page.getByText('Observations recorded').first().waitFor()
    const details = page
      .locator('details')
      .filter({ hasText: /^Details.*ObservationsRecorded/ })
      .first()
    await details.getByText('Details', { exact: true }).click()
    await details.getByText(/^Trade T1 closed .*EURUSD buy 1\.00, 1\.08410 to 1\.08535/).waitFor()
  })

  it('has an observation corrected, and another taken away, each with a reason that the trader reads', async () => {
    const admin = await site.portal.admin()
    const programme = await publishedProgramme(admin, watchedTerms('Corrected 100K'))
    const { trader, account, observe } = await watchedTrader(site.portal, admin, programme, { fullName: 'Rosa Reyes' })
    await observe([tradeAt('T1', hoursAgo(50), '-210.00'), tradeAt('T2', hoursAgo(40), '-900.00')])
    await site.portal.atEnd()
    const { page, open, expectGoodLook, allowStatus } = await site.visit({ as: admin })
    await open(`/admin/users?user=${trader.id}`)
    const details = page.getByRole('dialog', { name: 'Rosa Reyes' })
    await details.getByRole('tab', { name: 'Observations' }).click()
    const rowOf = (id: string) =>
      details
        .getByRole('table', { name: 'Observations' })
        .getByRole('row')
        .filter({ hasText: `Trade ${id} closed` })
    await rowOf('T1').press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Correct Observation' })
    const profit = dialog.getByLabel('Net profit')
    await dialog.getByText(/^Trade T1 closed \d+ \w+ \d{4}, [\d:]{8} UTC$/).waitFor()
    expect(await profit.inputValue()).toBe('-210.00')
    // Nothing is changed yet.
    expect(await dialog.getByRole('button', { name: 'Save Correction' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Side').selectOption('Buy')
    await profit.fill('-2I0')
    await dialog.getByLabel('Reason').fill('The broker took the swap back')
    allowStatus(400)
    await page.keyboard.press('Control+Enter')
    await dialog.locator('[aria-invalid]').waitFor()
    await profit.fill('-110.00')
    await expectGoodLook()
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    await rowOf('T1').getByText('profit -$110.00', { exact: false }).waitFor()
    await rowOf('T1').getByText('The broker took the swap back').waitFor()

    await rowOf('T2').press('Enter')
    await dialog.getByLabel('What happens').selectOption('Take it away')
    expect(await profit.count()).toBe(0)
    await dialog.getByLabel('Reason').fill('It is of another account')
    await expectGoodLook()
    await dialog.getByRole('button', { name: 'Take It Away' }).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf('T2').waitFor({ state: 'detached' })
    const standing = await admin.get(`/api/admin/accounts/${account}/standing`, await site.portal.atEnd())
    expect(standing.body).toMatchObject({ balance: '99890.00' })
  })
})
