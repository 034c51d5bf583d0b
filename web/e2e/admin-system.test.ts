import { join } from 'node:path'
import Libsql from 'libsql'
import { z } from 'zod'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { expect, it, onTestFinished } from 'vitest'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { appendUnknownEvent } from '#test-support/unknown-event.ts'
import { until } from '#test-support/until.ts'
import { loadProjectionState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import { toPosition } from '#infra/event-store/event-store.ts'
import { createUsers } from './admin-people.ts'
import { describeSite, openNavigation } from './kit.ts'

describeSite('the System page', (site) => {
  const parts = (): Dependencies => site.portal.running.parts

  /** An event that a newer program wrote. Returns its number once it is a dead letter of every consumer. */
  async function somethingFromTheFuture(): Promise<number> {
    const { readModelStore } = parts()
    const position = await appendUnknownEvent(parts(), `user-${crypto.randomUUID().slice(0, 8)}`)
    await until(
      async () =>
        (await readModelStore.deadLetters.list()).filter((note) => note.position === position).length >
        allProjections.length,
      'everybody to set it aside',
    )
    return Number(position)
  }

  /** What an older program could not use, and this one can. */
  async function mended(): Promise<number> {
    const admin = await site.portal.admin()
    const [somebody] = await createUsers(admin, ['Not Understood'])
    const [event] = await site.portal.events(`user-${somebody?.id}`)
    if (!event) throw new Error('There is no event')
    const { stream, revision, position, type } = event
    const { serving: consumer } = await loadProjectionState(parts().readModelStore.projections, users)
    await parts().readModelStore.deadLetters.add({
      consumer,
      stream,
      revision,
      position: toPosition(position),
      type,
      error: 'the program of last week could not use it',
    })
    return Number(position)
  }

  it("shows the firm's account to those who may change it", async () => {
    const { page, open } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/system')
    const card = page.locator('section').filter({ hasText: "Firm's account" })
    await card.getByText('None yet.').waitFor()
    await card.getByRole('button', { name: 'Set Account' }).click()
    const dialog = page.getByRole('dialog', { name: "Firm's Account" })
    for (const [field, value] of [
      ['Name', 'Proofdesk Trading Ltd'],
      ['IBAN', 'DE89 3704 0044 0532 0130 00'],
      ['BIC', 'COBADEFFXXX'],
    ] as const)
      await dialog.getByLabel(field).fill(value)
    await page.keyboard.press('Control+Enter')
    await card.getByText('Proofdesk Trading Ltd').waitFor()
    await card.getByRole('button', { name: 'Change Account' }).waitFor()

    const support = await site.visit({ as: await site.portal.member('support') })
    await support.open('/admin/system')
    await support.page.getByText('All 7 available').first().waitFor()
    expect(await support.page.getByText("Firm's account").count()).toBe(0)
  })

  it("shows the provider's codes of coins to those who may change them", async () => {
    const { page, open, allowStatus, expectGoodLook, expectNoSidewaysScroll } = await site.visit({
      as: await site.portal.admin(),
    })
    await open('/admin/system')
    const card = page.locator('section').filter({ hasText: 'Codes of coins' })
    await card.getByText('As the portal names them', { exact: false }).waitFor()
    await card.getByRole('button', { name: 'Change Codes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Codes of Coins' })
    expect(await dialog.getByLabel('USDT on TRON (TRC20)').inputValue()).toBe('USDT')
    expect(await dialog.getByLabel('USDC on TRON (TRC20)').count()).toBe(0)
    await dialog.getByLabel('USDT on TRON (TRC20)').fill('USDT,TRX')
    await expectNoSidewaysScroll(390)
    allowStatus(400)
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('Please enter a code of letters', { exact: false }).first().waitFor()
    await dialog.getByLabel('USDT on TRON (TRC20)').fill('USDT.TRC20')
    await expectGoodLook()
    await page.keyboard.press('Control+Enter')
    await card.getByText('USDT.TRC20').waitFor()
  })

  it('is in the navigation and shows the state of each part', async () => {
    const { page, open } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/dashboard')
    await openNavigation(page)
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'System' }).click()
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    expect(await page.title()).toContain('System')
    // What is well is one line, what is not is open.
    const readers = page.getByRole('table', { name: 'Read models and policies' })
    const part = (title: string) => page.locator('details', { has: page.getByRole('heading', { name: title }) })
    await part('Read models and policies')
      .getByText(`All ${allProjections.length + 1}`, { exact: false })
      .waitFor()
    for (const title of ['Mail', 'Installation', 'Seals']) {
      await part(title).getByText('Needs attention').waitFor()
      expect(await part(title).getAttribute('open'), title).not.toBe(null)
    }
    for (const title of ['Read models and policies', 'Unprocessed events', 'Components']) {
      expect(await part(title).getByText('Needs attention').count(), title).toBe(0)
      expect(await part(title).getAttribute('open'), title).toBe(null)
    }
    expect(await readers.isVisible()).toBe(false)
    await part('Read models and policies').getByRole('heading').click()
    for (const { name } of allProjections) await readers.getByRole('row', { name: new RegExp(`^${name} `) }).waitFor()
    await readers.getByText('Up to date').nth(allProjections.length).waitFor()
    await page.getByText('All 7 available').first().waitFor()
    await page.getByText('Last verification').waitFor()
    // The worker verifies by itself, and nobody makes backups.
    await page.getByText(/^\d+ s ago, up to #\d+/).waitFor()
    await page.getByText('None known', { exact: true }).waitFor()
    expect(await page.getByRole('region', { name: 'Problems with the proof' }).count()).toBe(0)
  })

  it('shows the progress and remaining time of a rebuild', async () => {
    const { projections } = parts().readModelStore
    const admin = await site.portal.admin()
    const { page, open } = await site.visit({ as: admin })
    // Its figures are put there, for a rebuild of a small firm is over before it can be seen.
    await page.route('**/api/admin/system', async (route) => {
      const response = await route.fetch()
      const details: { readers: { name: string; rebuild: unknown }[] } = await response.json()
      const rebuild = { state: 'building', position: 1, fraction: 0.431, secondsLeft: 95 }
      await route.fulfill({
        response,
        json: {
          ...details,
          readers: details.readers.map((reader) => (reader.name === 'users' ? { ...reader, rebuild } : reader)),
        },
      })
    })
    await open('/admin/system')
    const bar = page.getByRole('progressbar', { name: 'Rebuilding: users' })
    await bar.waitFor()
    expect(await bar.getAttribute('aria-valuetext')).toBe('43%, about 2 min left')
    await page.unroute('**/api/admin/system')
    // It is read again by itself.
    await bar.waitFor({ state: 'detached' })
    expect((await loadProjectionState(projections, users)).rebuildRequested).toBe(false)
  })

  it('lets an administrator retry dead letters and shows the result', async () => {
    const number = await mended()
    const { page, open, expectToast } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/system')
    await page.getByText('the program of last week could not use it').waitFor()
    await page.getByRole('button', { name: `Try again: UserCreated #${number} for users` }).click()
    await expectToast('Retrying')
    await page.getByText('the program of last week could not use it').waitFor({ state: 'detached' })
    await page.getByText('No unprocessed events').waitFor()
  })

  it('shows an auditor the same without actions', async () => {
    const number = await somethingFromTheFuture()
    const { page, open } = await site.visit({ as: await site.portal.auditor() })
    await open('/admin/system')
    await page.getByText(`#${number} ·`).first().waitFor()
    await page.getByRole('note').waitFor()
    expect(await page.getByRole('button', { name: /Try again/ }).count()).toBe(0)
  })

  it('is accessible and fits in both themes, on desktop and phone', async () => {
    await somethingFromTheFuture()
    const { page, open, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: await site.portal.admin() })
    await open('/admin/system')
    await page
      .getByRole('button', { name: /Try again/ })
      .first()
      .waitFor()
    await page.getByText('Sealed every').waitFor()
    await expectGoodLook()
    await expectNoSidewaysScroll(320)
  })
})

describeSite(
  'problems with the proof on the System page',
  (site) => {
    it('names an event that was altered in the log, and what to do, until it is as it was', async () => {
      const { portal } = site
      const trader = await portal.trader()
      const [event] = await portal.events(`user-${trader.id}`)
      if (!event) throw new Error('There is no event')
      const database = new Libsql(join(portal.dataDir, 'events.sqlite'))
      onTestFinished(() => void database.close())
      const { data } = z
        .object({ data: z.string() })
        .parse(database.prepare('SELECT data FROM events WHERE position = ?').get(event.position))
      const write = (text: string) => {
        database.prepare('UPDATE events SET data = ? WHERE position = ?').run(text, event.position)
      }
      write(data.replace('}', ' }'))
      const known = async (count: number) =>
        until(
          async () => (await portal.running.parts.proofWatch.read()).problems.length === count,
          `${count} problems to be known`,
        )
      await known(1)
      const { page, open, expectGoodLook } = await site.visit({ as: await portal.admin() })
      await open('/admin/system')
      const problems = page.getByRole('region', { name: 'Problems with the proof' })
      const name = new RegExp(`^Event ${event.position} \\(.*user-${trader.id}#0\\)`)
      await problems.getByText(name).waitFor()
      await problems.getByText('Log altered').waitFor()
      await problems.getByText('docs/broken-proof.md has the steps').waitFor()
      await expectGoodLook()
      write(data)
      await known(0)
      await page.reload()
      await page.getByText('Sealed every').waitFor()
      expect(await problems.count()).toBe(0)
    })
  },
  { environment: { VERIFY_SECONDS: '1' } },
)
