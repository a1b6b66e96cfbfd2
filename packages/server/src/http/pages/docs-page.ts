// The Swagger UI page and the script that starts it. Links are relative, so that they work behind a proxy that adds a
// path prefix.

export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Runwright API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/initializer.js" defer></script>
  </head>
  <body>
    <div id="swagger-ui"></div>
    <noscript>The schema is at <a href="openapi.json">openapi.json</a>.</noscript>
  </body>
</html>
`

export const initializer = `window.ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
})
`
