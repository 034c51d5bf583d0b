import { expect, it } from 'vitest'
import { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { StatementImport } from '#services/trading/imports/import-api.ts'
import { read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { describeSite, type Site, type Visit } from './kit.ts'

let logins = 60_000_000

async function enrolled(site: Site, admin: Browser, fullName: string) {
  const trader = await site.portal.trader({ fullName })
  const login = String(++logins)
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'two-step-100000' })
  await admin.patch(`/api/admin/accounts/${trader.id}-a1`, { login, server: 'Broker-MT5' })
  return { account: `${trader.id}-a1`, login }
}

/** As MetaTrader 5 writes the positions of a report: two columns "Time", two "Price", thousands apart. */
const positions = [
  'Time;Position;Symbol;Type;Volume;Price;S / L;T / P;Time;Price;Commission;Swap;Profit',
  '2026.11.02 09:31:12;51230011;EURUSD;buy;1.00;1.08512;;;2026.11.02 11:02:40;1.08731;-7.00;0.00;219.00',
  '2026.11.02 14:05:00;51230342;XAUUSD;sell;0.50;4012.40;;;2026.11.03 08:15:21;3980.10;-3.50;-4.12;1 615.00',
  '2026.11.03 10:00:07;51231107;US30;buy;2.00;47012.0;;;2026.11.03 10:44:59;46870.5;0.00;0.00;-283.00',
  '2026.11.03 15:12:00;51231450;EURUSD;buy;1.00;1.08600;;;2026.11.31 15:55:10;1.08588;-7.00;0.00;-12.00',
]

/** As cTrader and its likes write the days of an account in Europe. */
const days = [
  'Date,Balance,Equity,Lowest,Highest,Deals',
  '04/11/2026,"101.530,88","101.530,88","101.100,00","101.912,40",3',
  '05/11/2026,"102.210,13","102.210,13","101.402,75","102.388,00",5',
  '06/11/2026,"102.2","102.210,13","101.402,75","102.388,00",0',
]

function choose({ page }: Visit, name: string, lines: readonly string[], kind: 'trades' | 'days') {
  const dialog = page.getByRole('dialog', { name: 'Import Statement' })
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(lines.map((line) => `${line}\r\n`).join('')) }
  return {
    dialog,
    async choose() {
      await dialog.getByLabel('Each row is').selectOption(kind)
      await dialog.getByLabel('File').setInputFiles(file)
      await dialog.getByText('Columns', { exact: true }).waitFor()
    },
    async map(columns: Readonly<Record<string, string>>) {
      for (const [label, column] of Object.entries(columns))
        await dialog.getByLabel(label, { exact: true }).selectOption(column)
    },
  }
}

const rowsOf = async ({ page }: Visit) => {
  await page.getByRole('table', { name: 'Rows' }).locator('[data-row]').first().waitFor()
  return page.getByRole('table', { name: 'Rows' }).locator('[data-row]').allInnerTexts()
}

describeSite('an import of a statement', (site) => {
  it('refuses what could mean two things, records the rest once, and says so for each line', async () => {
    const admin = await site.portal.admin()
    const { account } = await enrolled(site, admin, 'Ada Lovelace')
    const staff = await site.visit({ as: admin })
    const { page, open, expectGoodLook, allowStatus } = staff
    await open('/admin/imports')
    await page.getByText('Import the first statement.').waitFor()
    await page.getByRole('button', { name: 'Import Statement' }).focus()
    await page.keyboard.press('Enter')
    const statement = choose(staff, 'ReportHistory.csv', positions, 'trades')
    await statement.choose()
    await statement.dialog.getByLabel('Account', { exact: true }).fill(account)
    await statement.map({
      ...{ 'Trade number': 'Position', 'Time of the opening': 'Time (1)', 'Time of the close': 'Time (2)' },
      ...{ Volume: 'Volume', 'Profit, net of commission and swap': 'Profit' },
    })
    for (const more of ['Commission', 'Swap'])
      await statement.dialog.getByLabel('Plus (Profit, net of commission and swap)').last().selectOption(more)
    await expectGoodLook()
    await page.keyboard.press('Control+Enter')

    // Nothing was said about times: no row is guessed.
    await page.getByText('there is nothing new to record', { exact: false }).waitFor()
    expect(await rowsOf(staff)).toHaveLength(4)
    await page
      .getByText('Time of the close: expected a time with its zone, like 2026-11-02T09:30:00Z')
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: /^Record/ }).count()).toBe(0)
    await expectGoodLook()

    // The columns are known from before; the form of times and amounts is new.
    await page.getByRole('link', { name: 'All imports' }).click()
    await page.getByRole('table', { name: 'Imports' }).locator('[data-row]').first().waitFor()
    await page.getByRole('button', { name: 'Import Statement' }).click()
    await statement.choose()
    await statement.dialog.getByLabel('Account', { exact: true }).fill(account)
    expect(await statement.dialog.getByLabel('Time of the close').inputValue()).toBe('Time (2)')
    await statement.dialog.getByLabel('Amounts are written').selectOption({ label: '1,234.5' })
    await statement.dialog.getByLabel('Times are written').fill('YYYY.MM.DD HH:mm:ss')
    allowStatus(400)
    await page.keyboard.press('Control+Enter')
    await statement.dialog.getByText('expected the time zone of the local times').waitFor()
    await statement.dialog.getByLabel('Time zone of the platform').fill('Europe/Athens')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is recorded yet.').waitFor()
    expect(await rowsOf(staff)).toEqual([
      expect.stringMatching(/^2\s+To record/),
      expect.stringMatching(/^3\s+To record/),
      expect.stringMatching(/^4\s+To record/),
      expect.stringMatching(/^5\s+Refused\s+Time of the close: there is no such date/),
    ])
    await expectGoodLook()
    const record = page.getByRole('button', { name: 'Record 3 Rows' })
    await record.focus()
    await page.keyboard.press('Enter')
    await page.getByText('The rows are recorded.').waitFor()
    const address = page.url()
    expect((await rowsOf(staff))[0]).toMatch(/^2\s+Recorded/)
    await expectGoodLook()
    const observed = async () =>
      read(
        AccountObservation.array(),
        await admin.get(`/api/admin/accounts/${account}/observations`, await site.portal.atEnd()),
      ).map(({ observation }) => observation)
    const recorded = await observed()
    expect(recorded).toMatchObject([
      { kind: 'trade', id: '51231107', profit: '-283.00' },
      { kind: 'trade', id: '51230342', profit: '1607.38' },
      { kind: 'trade', id: '51230011', at: '2026-11-02T09:02:40.000Z', profit: '212.00' },
    ])

    // The same file once more changes nothing, and the mapping is offered as a whole.
    await page.getByRole('link', { name: 'All imports' }).click()
    await page.getByRole('button', { name: 'Import Statement' }).click()
    await statement.choose()
    await statement.dialog.getByLabel('Account', { exact: true }).fill(account)
    await page.keyboard.press('Control+Enter')
    await page.waitForURL((url) => url.pathname.startsWith('/admin/imports/') && url.href !== address)
    await page.getByText('there is nothing new to record', { exact: false }).waitFor()
    expect(await rowsOf(staff)).toEqual([
      ...[2, 3, 4].map((line) => expect.stringMatching(new RegExp(`^${line}\\s+Duplicate`))),
      expect.stringMatching(/^5\s+Refused/),
    ])
    expect(await observed()).toEqual(recorded)
  })

  it('of days is read on a phone as on a desktop', async () => {
    const admin = await site.portal.admin()
    const { account, login } = await enrolled(site, admin, 'Ben Brown')
    const staff = await site.visit({ as: admin, width: 390 })
    const { page, open, expectGoodLook } = staff
    await open('/admin/imports')
    await page.getByRole('button', { name: 'Import Statement' }).click()
    const statement = choose(
      staff,
      'days.csv',
      days.map((line, n) => (n === 0 ? `Login,${line}` : `${login},${line}`)),
      'days',
    )
    await statement.choose()
    await statement.dialog.getByLabel('Server', { exact: true }).fill('Broker-MT5')
    await statement.map({
      ...{ 'Login of the row': 'Login', Date: 'Date', Balance: 'Balance', Equity: 'Equity', 'Lowest equity': 'Lowest' },
      ...{ 'Highest equity': 'Highest', 'Number of trades': 'Deals' },
    })
    await statement.dialog.getByLabel('Amounts are written').selectOption({ label: '1.234,5' })
    await statement.dialog.getByLabel('Times are written').fill('DD/MM/YYYY')
    await expectGoodLook()
    await statement.dialog.getByRole('button', { name: 'Read Statement' }).click()
    await page.getByRole('button', { name: 'Record 2 Rows' }).waitFor()
    await page.getByText('Balance: expected an amount like 1.234,50, with at most two decimals').waitFor()
    await expectGoodLook()
    await page.getByRole('button', { name: 'Record 2 Rows' }).click()
    await page.getByText('The rows are recorded.').waitFor()
    const imports = read(StatementImport.array(), await admin.get('/api/admin/imports', await site.portal.atEnd()))
    expect(imports[0]).toMatchObject({ state: 'done', counts: { recorded: 2, refused: 1 } })
    expect((await admin.get(`/api/admin/accounts/${account}/standing`)).body).toMatchObject({ balance: '102210.13' })
  })
})
