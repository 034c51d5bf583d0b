import { expect, it } from 'vitest'
import { Finding } from '#services/trading/findings/finding-api.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import { after, read } from '#test-support/http-calls.ts'
import { publishedProgramme, tradeAt, watchedTerms, watchedTrader } from '#test-support/programme-account.ts'
import { describeSite } from './kit.ts'
import { tradingAccount } from './trading.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

describeSite('an account under a programme', (site) => {
  it('shows each rule, its calendar of days and its trades, each with the event behind it', async () => {
    const admin = await site.portal.admin()
    const programme = await publishedProgramme(admin, watchedTerms())
    const { trader, observe } = await watchedTrader(site.portal, admin, programme, { fullName: 'Grace Hopper' })
    const trades = Array.from({ length: 30 }, (_, n) =>
      tradeAt(`T${n}`, daysAgo(n), n % 3 === 0 ? '-210.00' : '260.50'),
    )
    await observe(trades)
    await site.portal.atEnd()
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    await open('/')
    await page.getByText(/^Resets in \d+/).waitFor()
    const card = (name: string) =>
      page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
    await card('Daily loss').getByText('Nearest limit').waitFor()
    await card('Daily loss').getByText('$4,790.00 away').waitFor()
    await card('Daily loss')
      .getByText(/until 17:00 America\/New_York/)
      .waitFor()
    await card('Minimum days').getByText('30 of 4 days, met').waitFor()
    await card('Profit target').getByText('38.8% of the target').waitFor()
    await card('Next payout').getByText('Payouts begin with the funded stage', { exact: false }).waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(320, 390, 768, 1024)

    await page.getByRole('tab', { name: 'Performance' }).click()
    const rules = card('Trading Rules')
    await rules.getByText('5% of the account size ($5,000.00) below the balance', { exact: false }).waitFor()
    expect(await rules.getByText('Trading is restricted', { exact: false }).count()).toBe(0)
    const calendar = card('Trading days')
    await calendar.getByText('1 trade, counts').first().waitFor()
    const table = page.getByRole('table', { name: 'Trades' })
    await table.getByText('T0', { exact: true }).waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(320, 390, 768, 1024)
    await page.getByRole('button', { name: 'Next page' }).click()
    await table.getByText('T29', { exact: true }).waitFor()
    await table
      .getByRole('link', { name: /^#\d+$/ })
      .first()
      .click()
    await page.getByText('Observations recorded').first().waitFor()
  })

  it('leads from a rule about single trades to those that hit it, and says to staff which trade breached', async () => {
    const admin = await site.portal.admin()
    const terms = watchedTerms('Judged 100K')
    const judging: readonly RuleTerms[] = [
      { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 1, consequence: 'excludes-profit', counts: '40' },
      { kind: 'symbols', allowed: null, forbidden: ['BTC*'], tolerated: 0, consequence: 'breach' },
    ]
    const stages = terms.stages.map((stage) => ({ ...stage, rules: [...stage.rules, ...judging] }))
    const programme = await publishedProgramme(admin, { ...terms, stages })
    const { trader, observe } = await watchedTrader(site.portal, admin, programme, { fullName: 'Joan Clarke' })
    const short = (id: string, days: number, facts: object = {}) => {
      const at = daysAgo(days)
      const openedAt = new Date(Date.parse(at) - 41_000).toISOString()
      return { ...tradeAt(id, at, '100.00'), openedAt, symbol: 'EURUSD', side: 'buy', ...facts }
    }
    await observe([short('880', 4), short('881', 3), { ...tradeAt('882', daysAgo(2), '50.00'), symbol: 'EURUSD' }])
    await site.portal.atEnd()
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    await open('/')
    await page.getByText('Hit once').waitFor()
    await expectGoodLook()
    await page.getByRole('link', { name: 'Trades that hit a rule' }).click()
    const table = page.getByRole('table', { name: 'Trades' })
    await table.getByText('Trade 881 of EURUSD was held for 41 s; at least 60 s.').waitFor()
    await table.getByText('Holding time: $60.00 of the profit does not count.').waitFor()
    await table.getByText('$40.00 of the result still counts.').waitFor()
    await table.getByText('Holding time: tolerated.').waitFor()
    expect(await table.getByText('882', { exact: true }).count()).toBe(0)
    await expectGoodLook()
    await expectNoSidewaysScroll(320, 390, 768, 1024)
    await page.getByLabel('Only those that hit a rule').uncheck()
    await table.getByText('882', { exact: true }).waitFor()

    await observe([short('883', 1, { symbol: 'BTCUSD' })])
    await site.portal.atEnd()
    const staff = await site.visit({ as: admin })
    await staff.open('/admin/findings')
    await staff.page.getByRole('button', { name: /^Decide.*Joan Clarke$/ }).click()
    const dialog = staff.page.getByRole('dialog')
    await dialog.getByText('Breach: Symbols. Trade 883 of BTCUSD is in a forbidden symbol').waitFor()
    await dialog.getByText('Trade 883 closed').waitFor()
    await staff.expectGoodLook()
  })

  it('says that a person decided, to the trader and to staff', async () => {
    const admin = await site.portal.admin()
    const programme = await publishedProgramme(admin, watchedTerms('Dismissed 100K'))
    const { trader, account, observe } = await watchedTrader(site.portal, admin, programme)
    const lost = await observe([tradeAt('T1', daysAgo(2), '-5300.00')])
    const [finding] = read(Finding.array(), await admin.get(`/api/admin/findings?account=${account}`, after(lost)))
    await admin.post(`/api/admin/findings/${finding?.id}/dismiss`, { reason: 'A wrong price' })
    await site.portal.atEnd()
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    const said = 'Decided by a person: a finding of the rules was dismissed'
    await page.getByText(said).waitFor()
    await open('/?tab=performance')
    await page.getByText('Daily loss reached, with a warning').waitFor()
    const staff = await site.visit({ as: admin })
    await staff.open(`/admin/users?user=${trader.id}`)
    await staff.page.getByRole('dialog').getByText(said).waitFor()
  })
})

describeSite('an account without a programme', (site) => {
  it('keeps the texts of the specification', async () => {
    const { trader } = await tradingAccount(site.portal)
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    await page.getByRole('heading', { name: 'Daily Drawdown' }).waitFor()
    await page.getByText('Breach at').first().waitFor()
    expect(await page.getByText('Resets in').count()).toBe(0)
    await open('/?tab=performance')
    await page.getByText('Trading is restricted if it is breached.', { exact: false }).waitFor()
    await page.getByText('The account is suspended if it is breached.', { exact: false }).waitFor()
    expect(await page.getByRole('heading', { name: 'Trading days' }).count()).toBe(0)
    expect(await page.getByRole('table', { name: 'Trades' }).count()).toBe(0)
  })
})
