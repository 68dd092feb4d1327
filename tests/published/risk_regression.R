# Numbers of riskRegression (Debian's 2022.11.28) for given predictions and for cross-validation.
# Rscript risk_regression.R cases.csv: writes the cases and prints what riskRegression finds.
# split.method = "cv5" has no AUC there ("Cannot yet calculate AUC in this case"); "bootcv" has.
suppressMessages(library(riskRegression))
target <- commandArgs(trailingOnly = TRUE)[1]
set.seed(4)
n <- 60
cases <- data.frame(y = rep(0:1, c(35, 25)))
cases$u <- round(rnorm(n) + 0.9 * cases$y, 3)
cases$v <- round(rnorm(n) + 0.5 * cases$y, 3)
models <- list(a = glm(y ~ u, binomial, cases), b = glm(y ~ v, binomial, cases))

given <- lapply(models, function(m) round(predict(m, type = "response"), 2))  # with ties
found <- Score(given, formula = y ~ 1, data = cases, metrics = "AUC", null.model = FALSE)
print(as.data.frame(found$AUC$score), digits = 15)
print(as.data.frame(found$AUC$contrasts), digits = 15)

crossed <- Score(models, formula = y ~ 1, data = cases, metrics = "AUC", null.model = FALSE,
                 split.method = "bootcv", B = 4, seed = 9, progress.bar = NULL,
                 keep = c("splitindex", "cv"))
print(as.data.frame(crossed$AUC$score), digits = 15)
print(as.data.frame(crossed$AUC$cv.score), digits = 15)

rows <- data.frame(split = 0, case = 1:n, y = cases$y, a = given$a, b = given$b)
index <- crossed$split.method$index
for (split in seq_len(ncol(index))) {
  out <- setdiff(1:n, index[, split])
  fitted <- lapply(models, function(m) {
    predict(update(m, data = cases[index[, split], ]), cases[out, ], type = "response")
  })
  rows <- rbind(rows, data.frame(split = split, case = out, y = cases$y[out],
                                 a = fitted$a, b = fitted$b))
}
rows$a <- format(rows$a, digits = 15)
rows$b <- format(rows$b, digits = 15)
write.csv(rows, target, row.names = FALSE, quote = FALSE)
