// Runs before anything is painted, so that the page never shows in the wrong theme first.
try {
  document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'system'
} catch {
  // Storage may be closed to this page: then the system's theme it is.
}
