document.documentElement.dataset.scripts = 'run'

// Runs before anything is painted, so that the page never shows in the wrong theme first.
try {
  document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'system'
} catch {
  // Storage may be closed to this page: then the system's theme it is.
}

// So is the firm's colour: the app's own would flash.
{
  const { content } = document.querySelector('meta[name=firm]') ?? {}
  const { accent } = content ? JSON.parse(content) : {}
  const names = ['accent', 'accent-strong', 'accent-soft', 'on-accent']
  for (const [at, shade] of (accent ?? []).entries())
    document.documentElement.style.setProperty(`--color-${names[at]}`, shade)
}

// A network that changes ends what is loading. The app cannot say that its own code is missing, so this does.
{
  /** Between two questions whether the server answers, and between two reloads that nobody asked for, in ms. */
  const [QUESTION_PAUSE, RELOAD_PAUSE] = [2_000, 30_000]

  const serverAnswers = async () => {
    for (;;) {
      try {
        return await fetch('/robots.txt', { method: 'HEAD', cache: 'no-store' })
      } catch {
        await new Promise((resolve) => setTimeout(resolve, QUESTION_PAUSE))
      }
    }
  }

  /** Only once in a while: where code never arrives, the page must not flicker. */
  const reload = () => {
    try {
      if (Date.now() - Number(sessionStorage.getItem('reloaded')) < RELOAD_PAUSE) return
      sessionStorage.setItem('reloaded', String(Date.now()))
      location.reload()
    } catch {
      // Without storage the person decides.
    }
  }

  const onError = async ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') {
      await serverAnswers()
      target.replaceWith(target.cloneNode())
    }
    if (!(target instanceof HTMLScriptElement)) return
    const text = document.getElementById('loading')
    if (text) text.textContent = 'Your portal could not be loaded.'
    document.getElementById('try-again')?.classList.remove('appears-late')
    await serverAnswers()
    reload()
  }
  // Errors of elements do not bubble.
  addEventListener('error', (event) => void onError(event), true)
}
