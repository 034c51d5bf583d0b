import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import { publishedProgramme, watchedTrader } from '#test-support/programme-account.ts'
import { describeSite } from './kit.ts'

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const newsRule: RuleTerms = {
  ...{ kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'], tolerated: 1, consequence: 'warning' },
}

describeSite('the calendar of news', (site) => {
  it('is published by hand and by file, and withdrawn; a late entry says that it judges nobody', async () => {
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/calendar')
    await page.getByText('Nothing is coming.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Publish News' }).click()
    const form = page.getByRole('dialog', { name: 'Publish News' })
    await form.getByRole('button', { name: 'Publish', exact: true }).click()
    await form.getByText('Please say what the news are about').waitFor()
    await form.getByLabel('News', { exact: true }).fill('Rate decision')
    await form.getByLabel('Time').fill(inMinutes(-5).slice(0, 16))
    await form.getByText('This time has passed.', { exact: false }).waitFor()
    await expectGoodLook()
    await form.getByLabel('Currency').fill('dollars'.slice(0, 2))
    await form.getByRole('button', { name: 'Publish', exact: true }).click()
    await form.getByText('currency: expected a currency like "USD"', { exact: false }).waitFor()
    await form.getByLabel('Currency').fill('usd')
    await form.getByRole('button', { name: 'Publish', exact: true }).click()
    await form.waitFor({ state: 'detached' })
    const table = page.getByRole('table', { name: 'News' })
    await table.getByText('Too late: it judges nobody before that').waitFor()

    const file = join(tmpdir(), `proofdesk-news-${process.pid}.jsonl`)
    const lines = [
      { id: 'nfp', at: inMinutes(90), currency: 'USD', impact: 'high', title: 'Nonfarm payrolls' },
      { id: 'pmi', at: inMinutes(120), symbols: ['DE40*'], impact: 'medium', title: 'Purchasing managers' },
      { id: 'odd', at: 'tomorrow', currency: 'USD', impact: 'high', title: 'Odd' },
    ]
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
    await page.getByRole('button', { name: 'Publish File' }).click()
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('button', { name: 'Publish 3 Entries' }).click()
    const report = page.getByRole('dialog', { name: 'Calendar published' })
    await report.getByText('2 recorded, 1 refused.').waitFor()
    await report.getByText('Entry 3 (odd): at: expected an instant', { exact: false }).waitFor()
    await report.getByRole('button', { name: 'Close', exact: true }).last().click()
    await table.getByText('Purchasing managers').first().waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(320, 390, 768, 1024)

    await page.getByRole('button', { name: 'Withdraw Purchasing managers' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
    await table.getByText('Withdrawn').waitFor()
    expect(await page.getByRole('button', { name: 'Withdraw Purchasing managers' }).count()).toBe(0)
  })

  it('shows the trader the next windows, with how long it is until the first', async () => {
    const admin = await site.portal.admin()
    const terms = presetTerms('two-step', 100_000)
    const stages = terms.stages.map((stage) => ({ ...stage, rules: [...stage.rules, newsRule] }))
    const programme = await publishedProgramme(admin, { ...terms, name: 'News 100K', stages })
    const { trader, observe } = await watchedTrader(site.portal, admin, programme)
    await admin.post('/api/admin/calendar', {
      entries: [{ id: 'cpi', at: inMinutes(65), currency: 'USD', impact: 'high', title: 'Consumer prices' }],
    })
    await observe([
      { ...{ kind: 'trade', id: 'T1', openedAt: inMinutes(-9), at: inMinutes(-8) }, profit: '10.00', volume: '1.00' },
    ])
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    await open('/')
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'News', exact: true }) })
    await card.getByText(/The next window of news opens in 1 h( \d min)?/).waitFor()
    await card.getByText('Consumer prices (USD)', { exact: false }).waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(320, 390, 768, 1024)
  })

  it('is shown to staff who may only read it, without its buttons', async () => {
    const { page, open } = await site.visit({ as: await site.portal.member('support') })
    await open('/admin/calendar')
    await page.getByRole('heading', { name: 'Calendar of news' }).waitFor()
    expect(await page.getByRole('button', { name: /^(Publish|Withdraw)/ }).count()).toBe(0)
  })
})
