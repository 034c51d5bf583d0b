import { setTimeout as delay } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { PAGE_DATA_ID, type Route, routes } from '../api/index.ts'
import type { AccessControl } from '../http/access-control.ts'
import { limits } from '../http/limits.ts'
import type { PageLoad } from './page-paths.ts'
import type { CarriedAnswer, CarryAnswer } from './query-dependencies.ts'

/** The first data of the web app: the answers to the first reads of a page, inside the page (decision 032). */

/** The script element with the first data of a page; undefined for a page whose app asks for everything. Never fails. */
export type PageData = (request: Request, response: Response, page: Pick<PageLoad, 'session'> & { readonly path: string }) => Promise<string | undefined>

const firstReads: Readonly<Record<PageLoad['session'], readonly Route[]>> = { trader: [routes.currentUser], admin: [routes.adminAuth], none: [] }
const furtherReads: ReadonlyMap<string, readonly Route[]> = new Map([['/', [routes.ownAccount]]])

export function createPageData(accessControl: Pick<AccessControl, 'traderOf' | 'adminOf'>, carry: CarryAnswer): PageData {
  let inProgress = 0

  const answers: (...parameters: Parameters<PageData>) => Promise<readonly CarriedAnswer[]> = async (request, response, { path, session }) => {
    const caller = await (session === 'trader' ? accessControl.traderOf(request) : accessControl.adminOf(request))
    if (!caller) return []
    const reads = [...firstReads[session], ...(furtherReads.get(path) ?? [])]
    // Refused and failed reads are left out: the app requests them and shows the reason.
    const results = await Promise.allSettled(reads.map((route) => carry(route, request, response)))
    return results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []))
  }

  return async (request, response, page) => {
    if (page.session === 'none' || request.method !== 'GET' || inProgress >= limits.pageData.most) return undefined
    inProgress += 1
    const found = answers(request, response, page)
      .catch(() => [])
      .finally(() => (inProgress -= 1))
    const over = new AbortController()
    const carried = await Promise.race([found, delay(limits.pageData.milliseconds, [], { signal: over.signal })])
    over.abort()
    return carried.length > 0 ? `<script type="application/json" id="${PAGE_DATA_ID}">${escaped(JSON.stringify(carried))}</script>` : undefined
  }
}

/** JSON in which nothing ends the element or begins another. */
function escaped(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
