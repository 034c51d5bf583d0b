import { expect, it } from 'vitest'
import { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { read } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Browser } from '#test-support/http-client.ts'
import { fixtures, managerDays, mt5, written } from '#test-support/statements/fixtures.ts'
import { managerDaily } from '#test-support/statements/manager-reports.ts'
import { dealsOf, mt5Html } from '#test-support/statements/metatrader-5.ts'
import { describeSite, type Site, type Visit } from './kit.ts'

let logins = 60_000_000

async function enrolled(site: Site, admin: Browser, fullName: string) {
  const trader = await site.portal.trader({ fullName })
  const login = String(++logins)
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: 'two-step-100000' })
  await admin.patch(`/api/admin/accounts/${trader.id}-a1`, wholeLogin(login))
  return { account: `${trader.id}-a1`, login }
}

/** As cTrader and its likes write the days of an account in Europe. */
const days = [
  'Date,Balance,Equity,Lowest,Highest,Deals',
  '04/11/2026,"101.530,88","101.530,88","101.100,00","101.912,40",3',
  '05/11/2026,"102.210,13","102.210,13","101.402,75","102.388,00",5',
  '06/11/2026,"102.2","102.210,13","101.402,75","102.388,00",0',
]

function dialogOf({ page }: Visit) {
  const dialog = page.getByRole('dialog', { name: 'Import Statement' })
  return {
    dialog,
    choose: (name: string, buffer: Uint8Array | string) =>
      dialog.getByLabel('File').setInputFiles({ name, mimeType: '', buffer: Buffer.from(buffer) }),
    async map(columns: Readonly<Record<string, string>>) {
      for (const [label, column] of Object.entries(columns))
        await dialog.getByLabel(label, { exact: true }).selectOption(column)
    },
  }
}

const text = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('')

const rowsOf = async ({ page }: Visit) => {
  await page.getByRole('table', { name: 'Rows' }).locator('[data-row]').first().waitFor()
  return page.getByRole('table', { name: 'Rows' }).locator('[data-row]').allInnerTexts()
}

describeSite('an import of a statement', (site) => {
  it('of MetaTrader 5 asks only what the file does not say, and shows what it will record', async () => {
    const admin = await site.portal.admin()
    const { account, login } = await enrolled(site, admin, 'Ada Lovelace')
    const report = (profit: string) => {
      const positions = [written({ login }), written({ login, id: '5002', profit, closed: '2026-11-02 15:00:00' })]
      return mt5Html({ ...mt5, login, server: 'Broker-MT5', positions, deals: dealsOf(positions, []) })
    }
    const staff = await site.visit({ as: admin })
    const { page, open, expectGoodLook, allowStatus } = staff
    await open('/admin/users')
    await page.getByRole('link', { name: 'Imports', exact: true }).click()
    await page.getByText('Import the first statement.').waitFor()
    await page.getByRole('button', { name: 'Import Statement' }).focus()
    await page.keyboard.press('Enter')
    const statement = dialogOf(staff)
    allowStatus(400)
    await statement.choose('ReportHistory.html', report('100.00'))
    const zone = statement.dialog.getByLabel('Time zone of the platform')
    // A question is no fault, and the cursor stands in its field.
    await zone.and(page.locator(':focus')).waitFor()
    await statement.dialog.getByText(`Recognised: MetaTrader 5 report of login ${login}, Broker-MT5.`).waitFor()
    expect(await statement.dialog.locator('[aria-invalid]').count()).toBe(0)
    await page.keyboard.press('Control+Enter')
    await statement.dialog.locator('[aria-invalid]').waitFor()
    await zone.fill('UTC+2')
    await expectGoodLook()
    await page.keyboard.press('Control+Enter')
    await statement.dialog.getByText('Etc/GMT-2', { exact: false }).waitFor()
    expect(await zone.inputValue()).toBe('UTC+2')
    await zone.fill('America/New_York+7')
    await page.keyboard.press('Control+Enter')

    await page.getByText('2 trades; agrees with itself.', { exact: false }).waitFor()
    const accounts = page.getByRole('table', { name: 'Accounts' }).locator('[data-row]')
    expect(await accounts.first().innerText()).toMatch(/\$112\.50[\s\S]*\$100,000\.00[\s\S]*\$100,112\.50/)
    expect(await rowsOf(staff)).toEqual([
      expect.stringMatching(/To record[\s\S]*EURUSD buy 0\.10 \(5001\)[\s\S]*\$12\.50/),
      expect.stringMatching(/To record[\s\S]*\$100\.00/),
    ])
    await expectGoodLook()
    await page.getByRole('button', { name: 'Record 2 Rows' }).click()
    await page.getByText('The rows are recorded.').waitFor()

    // The zone of this platform is offered. What the platform changed since is decided here.
    await page.getByRole('link', { name: 'All imports' }).click()
    await page.getByRole('button', { name: 'Import Statement' }).click()
    await statement.choose('ReportHistory.html', report('90.00'))
    await statement.dialog.getByLabel('Time zone of the platform').waitFor()
    expect(await zone.inputValue()).toBe('America/New_York+7')
    await page.keyboard.press('Control+Enter')
    await page.getByText('There is nothing new to record, only conflicts to decide.').waitFor()
    const profit = page.getByRole('row', { name: /^Net profit/ })
    expect(await profit.innerText()).toMatch(/100\.00\s+90\.00/)
    await expectGoodLook()
    await page.getByRole('button', { name: /^Take the new one/ }).click()
    const reason = page.getByRole('dialog', { name: 'Take the new one: 1 conflict' })
    await reason.getByLabel('Reason').fill('The broker corrected the trade')
    await expectGoodLook()
    await page.keyboard.press('Control+Enter')
    await page.getByText('New one taken', { exact: true }).waitFor()
    await page.getByText('The conflicts are decided, and there is nothing new to record.').waitFor()
    await page.getByRole('table', { name: 'Rows' }).getByText('. New one taken').waitFor()
    const found = read(
      AccountObservation.array(),
      await admin.get(`/api/admin/accounts/${account}/observations`, await site.portal.atEnd()),
    )
    expect(found.map(({ observation }) => observation['profit'])).toEqual(['90.00', '12.50'])
  })

  it('of the days of a manager, for all their accounts, is recorded only for a reason where it disagrees with itself', async () => {
    const admin = await site.portal.admin()
    const accounts: Awaited<ReturnType<typeof enrolled>>[] = []
    for (const name of ['Dora Diaz', 'Emil Ek', 'Fay Fox']) accounts.push(await enrolled(site, admin, name))
    const written = managerDays.map((day, n) => ({ ...day, login: accounts[n % 3]?.login ?? '' }))
    const report = Buffer.from(managerDaily(written)).toString('utf8')
    const staff = await site.visit({ as: admin })
    const { page, open, expectGoodLook, allowStatus } = staff
    await open('/admin/imports')
    await page.getByRole('button', { name: 'Import Statement' }).click()
    const statement = dialogOf(staff)
    allowStatus(400)
    await statement.choose('Daily.csv', report)
    await statement.dialog.getByLabel('Time zone of the platform').fill('America/New_York+7')
    await page.keyboard.press('Control+Enter')
    await page.getByText('MetaTrader 5 days of 3 logins: 4 days; agrees with itself.').waitFor()
    const rows = await rowsOf(staff)
    expect(rows).toHaveLength(4)
    expect(rows[0]).toMatch(/To record[\s\S]*2 Nov 2026[\s\S]*Balance \$100,011\.80, equity \$99,986\.80/)
    await expectGoodLook()

    // The same file with a balance that somebody changed.
    expect(report).toContain('100011.80')
    await page.getByRole('link', { name: 'All imports' }).click()
    await page.getByRole('button', { name: 'Import Statement' }).click()
    await statement.choose('Daily.csv', report.replace('100011.80', '100911.80'))
    await statement.dialog.getByLabel('Time zone of the platform').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('balance of a day', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Record 4 Rows' }).click()
    const dialog = page.getByRole('dialog', { name: 'Record a File That Disagrees With Itself' })
    const record = dialog.getByRole('button', { name: 'Record 4 Rows' })
    expect(await record.isDisabled()).toBe(true)
    await dialog.getByLabel('Reason').fill('The broker confirmed the balance by mail')
    await expectGoodLook()
    await record.click()
    await page.getByText('The rows are recorded.').waitFor()
    await page.getByText('It was recorded all the same: The broker confirmed the balance by mail').waitFor()
    const [first] = read(
      AccountObservation.array(),
      await admin.get(`/api/admin/accounts/${accounts[1]?.account}/observations`, await site.portal.atEnd()),
    )
    expect(first?.observation).toMatchObject({ kind: 'state', balance: '49634.02' })
  })

  it('that names no account asks for it, and offers those that the portal knows', async () => {
    const admin = await site.portal.admin()
    const { login } = await enrolled(site, admin, 'Gil Gray')
    const staff = await site.visit({ as: admin })
    const { page, open, expectGoodLook, allowStatus } = staff
    await open('/admin/imports')
    await page.getByRole('button', { name: 'Import Statement' }).click()
    const statement = dialogOf(staff)
    allowStatus(400)
    await statement.choose('trades.csv', fixtures['ftmo.csv']?.bytes ?? '')
    const account = statement.dialog.getByLabel('Account', { exact: true })
    await statement.dialog.getByLabel('Time zone of the platform').fill('UTC')
    await page.keyboard.press('Control+Enter')
    await account.fill('Gil')
    const offered = statement.dialog.locator('option').filter({ hasText: 'Gil Gray' })
    await offered.waitFor({ state: 'attached' })
    expect(await offered.getAttribute('value')).toBe(login)
    await expectGoodLook()
    await account.fill(login)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: /^Record \d+ Rows$/ }).waitFor()
  })

  it('of trades that no format fits has a field each for commission and swap, and records what is net of them', async () => {
    const admin = await site.portal.admin()
    const { account } = await enrolled(site, admin, 'Hal Hill')
    const staff = await site.visit({ as: admin })
    const { page, open, expectGoodLook, allowStatus } = staff
    await open('/admin/imports')
    await page.getByRole('button', { name: 'Import Statement' }).click()
    const statement = dialogOf(staff)
    allowStatus(400)
    const trade = 'T1,2026-11-02T09:10:00Z,2026-11-02T09:30:00Z,0.10,12.50,-0.70,-0.30,-0.05'
    await statement.choose('own.csv', text(['No,Begin,End,Lots,Gross,Fee,Rollover,Stamp', trade]))
    await statement.dialog.getByText('Columns', { exact: true }).waitFor()
    await statement.dialog.getByLabel('Account', { exact: true }).fill(account)
    // A cost that is chosen first, or alone, keeps its field.
    await statement.map({ Swap: 'Rollover' })
    expect(await statement.dialog.getByLabel('Swap', { exact: true }).inputValue()).toBe('Rollover')
    await statement.map({
      ...{ 'Trade number': 'No', 'Time of the opening': 'Begin', 'Time of the close': 'End', Volume: 'Lots' },
      ...{ Profit: 'Gross', Commission: 'Fee', 'Another cost': 'Stamp' },
    })
    await expectGoodLook()
    await statement.dialog.getByRole('button', { name: 'Read Statement' }).click()
    await page.getByRole('button', { name: 'Record 1 Row' }).waitFor()
    expect(await rowsOf(staff)).toEqual([expect.stringContaining('$11.45')])
    await page.getByRole('button', { name: 'Read Again' }).click()
    const again = page.getByRole('dialog', { name: 'Read Statement Again' })
    for (const [label, column] of Object.entries({ Profit: 'Gross', Commission: 'Fee', Swap: 'Rollover' }))
      expect(await again.getByLabel(label, { exact: true }).inputValue()).toBe(column)
  })

  it('that no format fits is mapped, refused rows are read again, and nothing typed is lost', async () => {
    const admin = await site.portal.admin()
    const { account, login } = await enrolled(site, admin, 'Ben Brown')
    const staff = await site.visit({ as: admin, width: 390 })
    const { page, open, expectGoodLook, allowStatus } = staff
    await open('/admin/imports')
    await page.getByRole('button', { name: 'Import Statement' }).click()
    const statement = dialogOf(staff)
    allowStatus(400)
    await statement.choose('days.csv', text(days.map((line, n) => (n === 0 ? `Login,${line}` : `${login},${line}`))))
    await statement.dialog.getByText('Columns', { exact: true }).waitFor()
    await statement.dialog.getByLabel('Times are written').fill('DD/MM/YYYY')
    await statement.dialog.getByLabel('Each row is').selectOption('days')
    expect(await statement.dialog.getByLabel('Times are written').inputValue()).toBe('DD/MM/YYYY')
    await statement.dialog.getByLabel('Server', { exact: true }).fill('Broker-MT5')
    await statement.map({
      ...{ 'Login of the row': 'Login', Date: 'Date', Balance: 'Balance', Equity: 'Equity', 'Lowest equity': 'Lowest' },
      ...{ 'Highest equity': 'Highest', 'Number of trades': 'Deals' },
    })
    await statement.dialog.getByLabel('Amounts are written').selectOption({ label: '1.234,5' })
    await expectGoodLook()
    await statement.dialog.getByRole('button', { name: 'Read Statement' }).click()
    await page.getByRole('button', { name: 'Record 2 Rows' }).waitFor()
    await page.getByText('Balance: expected an amount like 1.234,50, with at most two decimals').waitFor()
    await expectGoodLook()

    // The same file with other answers.
    await page.getByRole('button', { name: 'Read Again' }).click()
    const again = page.getByRole('dialog', { name: 'Read Statement Again' })
    expect(await again.getByLabel('Lowest equity', { exact: true }).inputValue()).toBe('Lowest')
    await again.getByLabel('Amounts are written').selectOption('')
    const before = page.url()
    await again.getByRole('button', { name: 'Read Statement' }).click()
    await again.getByText('some numbers have a decimal point, others a decimal comma', { exact: false }).waitFor()
    await again.getByLabel('Amounts are written').selectOption({ label: '1.234,5' })
    await again.getByRole('button', { name: 'Read Statement' }).click()
    await page.waitForURL((url) => url.href !== before)
    await page.getByRole('button', { name: /^Record/ }).click()
    await page.getByText('The rows are recorded.').waitFor()
    expect((await admin.get(`/api/admin/accounts/${account}/standing`)).body).toMatchObject({ balance: '102210.13' })
  })
})
