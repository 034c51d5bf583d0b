import { PAGE_DATA_ID, SHOWN_HEADER } from '../../../services/api/headers.ts'
import { readStored, writeStored } from '../stored.ts'

/**
 * The first data: answers that came with the page (services/query/page-data.ts). Each serves the first request of its
 * address instead of the server's answer, and is parsed and cached like one.
 */

const answers = new Map<string, Response>()

/** Takes the answers out of the page. Called once, before any request. */
export function takePageData(): void {
  const element = document.getElementById(PAGE_DATA_ID)
  element?.remove()
  if (!element || isOfEarlierSession()) return
  const carried: readonly { readonly path: string; readonly position: string | null; readonly body: unknown }[] = JSON.parse(element.textContent)
  for (const { path, position, body } of carried) answers.set(path, Response.json(body, position === null ? {} : { headers: { [SHOWN_HEADER]: position } }))
}

/** The answer to the first request of a path. */
export function takeAnswer(path: string): Response | undefined {
  const answer = answers.get(path)
  answers.delete(path)
  return answer
}

/** Forgets the answers that nothing has requested: they get old, or another person signs in. */
export function dropPageData(): void {
  answers.clear()
}

/** Records for other tabs, whose pages may be loading, of a sign-in or sign-out. */
export function recordSessionChange(): void {
  writeStored('session-changed', String(Date.now()))
}

/** Whether another tab signed in or out after the request for this page. */
function isOfEarlierSession(): boolean {
  return Number(readStored('session-changed')) >= performance.timeOrigin
}
