import type { Answer, Browser } from './http-client.ts'

/** How often somebody signs in for one request before taking it that signing in does not help. */
const TRIES = 5

/**
 * A browser whose user signs in again when its session is gone, and then asks again: sessions in a Redis without a disk
 * are gone when it comes back. Those who ask side by side sign in once.
 *
 * @param signIn Asks for a new session in that browser. Its answer is the user's when the portal is not there for it.
 */
export function retryWithSignIn(browser: Browser, signIn: () => Promise<Answer>): Browser {
  let signedIn = 0
  let signingIn: Promise<Answer> | undefined
  const asking = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (let tries = TRIES; ; tries--) {
      const before = signedIn
      const answer = await ask()
      if (answer.status !== 401 || tries === 0) return answer
      // Another one has signed in meanwhile.
      if (before !== signedIn) continue
      signingIn ??= signIn()
        .then((made) => {
          if (made.status === 200) signedIn += 1
          return made
        })
        .finally(() => (signingIn = undefined))
      const made = await signingIn
      if (made.status !== 200) return made.status >= 500 ? made : answer
    }
  }
  return {
    cookies: browser.cookies,
    send: (...given) => asking(() => browser.send(...given)),
    get: (...given) => asking(() => browser.get(...given)),
    post: (...given) => asking(() => browser.post(...given)),
    patch: (...given) => asking(() => browser.patch(...given)),
    delete: (...given) => asking(() => browser.delete(...given)),
  }
}
