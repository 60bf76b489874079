<%@ Page Language="C#" %>
<!DOCTYPE html>
<html>
  <head><title>ASP.NET on IIS</title></head>
  <body>
    <h1>ASP.NET on IIS</h1>
    <p><%= Environment.MachineName %>, <%= Environment.Version %>, <%= DateTime.UtcNow.ToString("s") %></p>
  </body>
</html>
