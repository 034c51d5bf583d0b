import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eligibleTrader } from '#test-support/http-calls.ts'
import { createUsers } from './admin-people.ts'
import { describeSite, typedTextIsBack, type Visit } from './kit.ts'

/** A deploy between the load of a page and of its parts: their files are gone. */
async function deployWithout({ page, allowStatus, allowNetworkErrors }: Visit, files: RegExp): Promise<void> {
  allowStatus(404)
  allowNetworkErrors()
  await page.route(files, (route) => route.fulfill({ status: 404, body: 'Not found' }))
}

const message = (page: Page) => page.getByRole('alertdialog', { name: 'This part could not be loaded' })

describeSite('a part whose code is gone', (site) => {
  it.each([1280, 390])('leaves the half-filled form of a trader as it is, at %i px', async (width) => {
    const visit = await site.visit({ as: await eligibleTrader(site.portal, await site.portal.admin()), width })
    const { page, open, expectAccessible, expectNoSidewaysScroll } = visit
    await open('/settings')
    await page.getByRole('button', { name: 'Turn On' }).waitFor()
    const files = /assets\/(palette|notices-dialog|factor-dialogs)-/
    await deployWithout(visit, files)
    await page.getByLabel('City').fill('Bern')
    for (const openPart of [
      () => page.keyboard.press('Control+k'),
      () => page.getByRole('button', { name: /^Notices/ }).click(),
      () => page.getByRole('button', { name: 'Turn On' }).click(),
    ]) {
      await openPart()
      await message(page).getByRole('button', { name: 'Load the newest version' }).waitFor()
      await expectAccessible()
      await expectNoSidewaysScroll()
      await page.keyboard.press('Escape')
      await message(page).waitFor({ state: 'detached' })
      expect(await page.getByLabel('City').inputValue()).toBe('Bern')
    }
    // The newest version has the files, and what was typed.
    await page.getByRole('button', { name: /^Notices/ }).click()
    await message(page).waitFor()
    await page.unroute(files)
    page.on('dialog', (leaving) => void leaving.accept())
    await message(page).getByRole('button', { name: 'Load the newest version' }).click()
    await typedTextIsBack(page)
    expect(await page.getByLabel('City').inputValue()).toBe('Bern')
    await page.getByRole('button', { name: 'Close notification' }).click()
    await page.getByRole('button', { name: /^Notices/ }).click()
    await page.getByRole('dialog', { name: 'Notices' }).waitFor()
  })

  it('leaves a list and an open dialog of staff as they are', async () => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Lazy Partner'])
    const visit = await site.visit({ as: admin })
    const { page, open } = visit
    await open('/admin/users?search=Lazy+Partner')
    await page.getByText('1 of 1 users').waitFor()
    const files = /assets\/(open-menu|user-dialog|user-forms|user-form)-/
    await deployWithout(visit, files)
    for (const openPart of [
      () => page.getByRole('button', { name: 'Actions for Lazy Partner' }).click(),
      () => page.getByRole('button', { name: 'Add User' }).click(),
      () => page.locator('tbody [data-row]').press('Enter'),
    ]) {
      await openPart()
      await message(page).getByRole('button', { name: 'Close' }).click()
      await message(page).waitFor({ state: 'detached' })
      await page.getByText('1 of 1 users').waitFor()
    }
    await page.unroute(files)
    await page.getByRole('button', { name: 'Actions for Lazy Partner' }).click()
    await page.getByRole('menuitem', { name: 'View Full Details' }).waitFor()
  })
})
