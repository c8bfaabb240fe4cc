// A click on a heading sorts the table by that column, a second one the other way round. Without this all else works.
document.querySelectorAll("table.sortable").forEach(function (table) {
  var body = table.tBodies[0];
  function value(row, column) {
    var text = row.cells[column].textContent.trim();
    var figure = parseFloat(text.replace("−", "-").replace("±", ""));
    return text === "" ? null : /^[+−±]?[\d.]+( %)?$/.test(text) ? figure : text;
  }
  table.querySelectorAll("thead th button").forEach(function (button) {
    button.addEventListener("click", function () {
      var head = button.closest("th"), column = head.cellIndex;
      var down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      Array.from(body.rows).sort(function (one, another) {
        var a = value(one, column), b = value(another, column);
        if (a === null || b === null) return (a === null) - (b === null);
        var order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
        return down ? -order : order;
      }).forEach(function (row) { body.appendChild(row); });
    });
  });
});
